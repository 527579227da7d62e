"""Fixers of guards on data that return early: both results are computed, and F.where chooses one."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import Branch, CodeContext
from hybridlint.analysis.model.values import BlockRef, Tensor
from hybridlint.fixers.control.divisors import as_method, divides
from hybridlint.fixers.control.mode_tests import spread_test
from hybridlint.fixers.evidence.moving_statistics import may_update_statistics
from hybridlint.fixers.evidence.sizes.shape_guesses import is_one_element, may_have_one_shape, share_a_leaf
from hybridlint.fixers.toolkit.names import block_around, dotted_parts, free_name, parent_of
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import children, walk

_MESSAGE = "Compute both results, and choose with F.where"

#: Operators whose value and gradient are finite for every number.
_FINITE = (ast.Add, ast.Sub, ast.Mult)


def choose_late(event: Branch, *, dividing: bool = False) -> Fix | None:
    """Write ``if n == 0: return a`` and the statements behind it as these statements and ``F.where(n == 0, a, b)``.

    A division by the tensor that the guard compares with 0 gets another divisor where it is 0: the gradient of a
    result that is not chosen is multiplied by 0, and must be finite. `dividing` asks for such a division.
    """
    frame, functions = event.frame, event.frame.functions
    guard, behind = _guard(event)
    if functions is None or guard is None or not isinstance(guard.test, ast.Compare):
        return None
    early, late = guard.body[0], behind[-1]
    if not isinstance(early, ast.Return) or not isinstance(late, ast.Return) or not early.value or not late.value:
        return None
    counted = _count_guarded(guard.test)
    divisors = _divisors(frame, counted, behind) if counted is not None else _none_protected(frame, guard, behind)
    pairs = _pairs(early.value, late.value)
    if (
        divisors is None
        or (dividing and not divisors)
        or not _only_computes(frame, behind)
        or _rebinds(guard.test, behind)
        or not all(_alike(frame, *pair) for pair in pairs)
    ):
        return None
    names = [free_name(frame, "early" if len(pairs) == 1 else f"early_{place}") for place in range(len(pairs))]
    zero = {part: binary(frame.concrete(part), ast.Add(), frame.concrete(guard.test)) for part in divisors}
    numpy = isinstance(event.value, Tensor) and event.value.mode == "np"
    inside: set[ast.expr] = set()
    fixes: list[Fix | None] = []
    for name, (one, other) in zip(names, pairs, strict=True):
        within = {part: new for part, new in zero.items() if part in set(walk(other))}
        inside |= within.keys()
        test = frame.concrete(guard.test)
        # An array has no truth value unless it has one element.
        if not numpy and not (is_one_element(frame, one) and is_one_element(frame, other)):
            test = spread_test(functions, name, test)
        chosen = expression(
            "{F}.where({test}, {early}, {late})",
            F=f"{functions}.np" if numpy else functions,
            test=test,
            early=name,
            late=concrete_with(frame, other, within) if within else frame.concrete(other),
        )
        fixes.append(rewrite(frame, other, chosen, Applicability.UNSAFE))
    kept = [
        statement
        for name, (one, _) in zip(names, pairs, strict=True)
        for statement in statements("{name} = {early}", name=name, early=frame.concrete(one))
    ]
    return join_fixes(
        _MESSAGE,
        [
            replace_statements(frame, guard, kept, Applicability.UNSAFE, message=_MESSAGE),
            *(rewrite(frame, part, new, Applicability.UNSAFE) for part, new in zero.items() if part not in inside),
            *fixes,
        ],
    )


def _pairs(early: ast.expr, late: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the pairs of results that two returns have in the same place."""
    match early, late:
        case ast.Tuple(elts=firsts), ast.Tuple(elts=seconds) if len(firsts) == len(seconds) > 1:
            return list(zip(firsts, seconds, strict=True))
    return [(early, late)]


def _guard(event: Branch) -> tuple[ast.If | None, Sequence[ast.stmt]]:
    """Return the ``if`` of an event that only returns, and the statements behind it in its function's own block."""
    frame = event.frame
    node = event.node if isinstance(event.node, ast.If) else frame.statement
    if not isinstance(node, ast.If) or node.test is not event.condition or len(node.body) != 1 or node.orelse:
        return None, ()
    block = block_around(frame, node) or []
    whole = frame.function is not None and block is getattr(frame.function, "body", None)
    behind = block[block.index(node) + 1 :] if whole else []
    return (node, behind) if behind else (None, ())


def _count_guarded(test: ast.Compare) -> ast.expr | None:
    """Return the tensor of ``n == 0``, or of ``n < 1`` and ``n <= 0`` of a count; None for any other test."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.LtE()], comparators=[ast.Constant(value=0)]):
            return left
        case ast.Compare(left=left, ops=[ast.Lt()], comparators=[ast.Constant(value=1)]):
            return left
    return None


def is_protected(
    frame: CodeContext, test: ast.expr, values: Sequence[ast.expr], besides: Collection[ast.expr] = ()
) -> bool:
    """Whether values compute with an operand of a test, so that they may be infinite unless the test selects them.

    The nodes `besides` are known to be harmless.
    """
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    compared = {as_method(frame, side) for side in sides if not isinstance(side, ast.Constant)}
    uses = [(node, value) for value in values for node in walk(value) if isinstance(node, ast.expr)]
    uses = [(node, value) for node, value in uses if node not in besides]
    parents = (parent_of(frame, node, value) for node, value in uses if as_method(frame, node) in compared)
    return any(not (isinstance(parent, ast.BinOp) and isinstance(parent.op, _FINITE)) for parent in parents)


def _divisors(frame: CodeContext, counted: ast.expr, behind: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """Return the divisors behind a guard that are the tensor it compares with 0.

    None if that tensor is used there in any other way that may have no finite gradient.
    """
    same = as_method(frame, counted)
    found: list[ast.expr] = []
    for statement in behind:
        for node in walk(statement):
            if not isinstance(node, ast.expr) or as_method(frame, node) != same:
                continue
            parent = parent_of(frame, node, statement)
            if divides(frame, parent, node):
                found.append(node)
            elif not (isinstance(parent, ast.BinOp) and isinstance(parent.op, _FINITE)):
                return None
    return found


def _none_protected(frame: CodeContext, guard: ast.If, behind: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """Return an empty list of divisors; None if code behind a guard may compute with what the guard compares."""
    values = [n for statement in (*guard.body, *behind) for n in children(statement) if isinstance(n, ast.expr)]
    return None if is_protected(frame, guard.test, values) else []


def _only_computes(frame: CodeContext, behind: Sequence[ast.stmt]) -> bool:
    """Whether statements only bind names of the function and return at the end, and call operators and children."""
    nodes = [node for statement in behind for node in walk(statement)]
    plain = all(isinstance(s, ast.Assign) for s in behind[:-1])
    stored = (n for n in nodes if isinstance(n, ast.Attribute | ast.Subscript) and not isinstance(n.ctx, ast.Load))
    calls = (n for n in nodes if isinstance(n, ast.Call))
    return plain and not any(stored) and all(_is_operator(frame, call) or _is_child(frame, call) for call in calls)


def _is_operator(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call is of an operator, as a function of F or as a method of a tensor."""
    path = dotted_parts(call.func)
    if path is not None and path[0] == frame.functions:
        return lookup.function(path[1:-1], path[-1]) is not None
    match call.func:
        case ast.Attribute(value=data, attr=name):
            return lookup.of_tensors(name) is not None and isinstance(frame.seen.value(data), Tensor)
    return False


def _is_child(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call is of a child whose computation changes nothing that is kept."""
    return isinstance(frame.seen.value(call.func), BlockRef) and not may_update_statistics(frame)


def _rebinds(test: ast.expr, behind: Sequence[ast.stmt]) -> bool:
    """Whether statements bind a name that the guard's test reads."""
    return not names_in(test).reads.keys().isdisjoint(names_in(*behind).stores)


def _alike(frame: CodeContext, early: ast.expr, late: ast.expr) -> bool:
    """Whether two results have one shape, known to the analysis or visible in the code."""
    shapes = [v.type.shape for v in map(frame.seen.value, (early, late)) if isinstance(v, Tensor)]
    known = len(shapes) == 2 and None not in shapes
    if known:
        return shapes[0] == shapes[1]
    return share_a_leaf(frame, early, late) or may_have_one_shape(frame, early, late)
