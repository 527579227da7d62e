"""Fixers of branches on data: choices in the graph, by F.where or by a comparison."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.model.events import Branch, CodeContext, TraceConstant
from hybridlint.analysis.model.values import STATIC_UNKNOWN, StaticValue, Tensor, Unknown
from hybridlint.fixers.control.divisors import nonzero_divisors
from hybridlint.fixers.control.early_returns import is_protected
from hybridlint.fixers.control.mode_tests import joint_test, spread_test
from hybridlint.fixers.evidence.aliases import decides_alias
from hybridlint.fixers.evidence.harmless_code import is_harmless
from hybridlint.fixers.evidence.moving_statistics import may_update_statistics
from hybridlint.fixers.evidence.sizes.shape_guesses import are_made_alike, may_have_one_shape, root_of, shared_leaf
from hybridlint.fixers.evidence.tensors import is_one_number
from hybridlint.fixers.toolkit.names import block_around, dotted_parts, free_name, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.statements import replace_statements, statements_with
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, walk


def choose(event: Branch) -> Fix | None:
    """Write ``a if c else b``, or an ``if`` that only chooses the value of a name, as ``F.where(c, a, b)``."""
    functions = event.frame.functions
    if functions is None or not is_tested(event) or not is_graph(event.condition) or decides_alias(event.frame):
        return None
    if event.kind == "ternary":
        node = conditional(event)
        if node is None or node.test is not event.condition:
            return None
        new = where(event, functions, node.test, node.body, node.orelse)
        if new is None:
            return None
        return rewrite(event.frame, node, new, safe_if(_same_shape(event, node.body, node.orelse)))
    return _choose_statement(event, functions) if event.kind == "if" else None


def choose_by_mode(event: TraceConstant) -> Fix | None:
    """Write a choice of a value by the mode of autograd or by a draw as F.where on a test in the graph.

    The test may join both, and settings. Both values are computed in any case. None if that may change the moving
    statistics of a layer.
    """
    frame, test = event.frame, event.node
    while isinstance(parent := parent_of(frame, test), ast.UnaryOp | ast.BoolOp | ast.Compare):
        test = parent
    if frame.functions is None or frame.mode != "legacy" or not isinstance(test, ast.expr):
        return None
    chooser = parent_of(frame, test)
    if joint_test(frame, frame.functions, test, "x") is None:
        return None
    if may_update_statistics(frame) or not isinstance(chooser, ast.If | ast.IfExp) or chooser.test is not test:
        return None
    if isinstance(chooser, ast.If):
        return _choose_statement(Branch(chooser, frame, "if", test, Unknown()), frame.functions)
    asked = Branch(chooser, frame, "ternary", test, Unknown())
    new = where(asked, frame.functions, test, chooser.body, chooser.orelse)
    return None if new is None else rewrite(frame, chooser, new, Applicability.UNSAFE)


def is_joint(event: TraceConstant) -> bool:
    """Return whether the value is a part of a test that joins several ones."""
    parent = parent_of(event.frame, event.node)
    while isinstance(parent, ast.UnaryOp | ast.Compare):
        parent = parent_of(event.frame, parent)
    return isinstance(parent, ast.BoolOp)


def where(
    event: Branch, functions: str, test: ast.expr, chosen: ast.expr, other: ast.expr, *, named: str | None = None
) -> cst.BaseExpression | None:
    """Return ``F.where(test, chosen, other)``, with a test of one element repeated to the shape of `chosen`.

    Return None if an expression that may change would be written twice, unless it is `named`, or if nothing suggests
    that both shapes are equal.
    """
    frame = event.frame
    divisors = nonzero_divisors(frame, test, chosen, other)
    if isinstance(event.value, Tensor) and event.value.mode == "np":
        parts = [
            frame.concrete(test),
            _beside(frame, functions, chosen, other, divisors),
            _beside(frame, functions, other, chosen, divisors),
        ]
        return expression("{F}.np.where({parts})", F=functions, parts=parts)
    fixed = [_python_value(frame, part, (chosen, other)) for part in (chosen, other)]
    if any(value is not None for value in fixed):
        return _number(frame, functions, test, chosen, other) if all(map(_may_be_number, fixed)) else None
    root = root_of(chosen)
    rooted = root is not None and root == root_of(other)
    alike = are_made_alike(frame, chosen, other) and is_harmless(frame, (chosen, other))
    shared = shared_leaf(frame, chosen, other)
    if not (rooted or alike or shared or may_have_one_shape(frame, chosen, other)):
        return None
    like = named or next((e.id for e in (chosen, other) if isinstance(e, ast.Name)), shared)
    if like is None and rooted:
        like = root
    # Where all are one number, the test needs no shape, and no expression is written twice.
    small = is_one_number(frame, chosen) and is_one_number(frame, other) and is_one_number(frame, test)
    calls = any(isinstance(part, ast.Call) for part in walk(chosen))
    if like is None and (is_protected(frame, test, (chosen, other), divisors) if small else calls):
        return None
    if named is not None and any(node in divisors for node in walk(chosen)):
        return None
    given = {"chosen": _written(frame, chosen, divisors), "other": _written(frame, other, divisors)}
    if named is not None:
        given["chosen"] = cst.Name(named)
    condition = frame.concrete(test) if small else _condition(frame, functions, test, like or frame.concrete(chosen))
    return expression("{F}.where({condition}, {chosen}, {other})", F=functions, condition=condition, **given)


def _written(frame: CodeContext, node: ast.expr, parts: Mapping[ast.expr, cst.BaseExpression]) -> cst.BaseExpression:
    """Return the libcst expression of a node, with those of its nodes that are in `parts` replaced."""
    inside = {part: new for part, new in parts.items() if any(part is n for n in walk(node))}
    return concrete_with(frame, node, inside) if inside else frame.concrete(node)


def _condition(
    frame: CodeContext, functions: str, test: ast.expr, like: cst.BaseExpression | str
) -> cst.BaseExpression:
    """Return a test, of one element or of the mode of autograd, in the shape of a tensor."""
    asked = joint_test(frame, functions, test, like)
    return spread_test(functions, like, frame.concrete(test)) if asked is None else asked


def _python_value(frame: CodeContext, node: ast.expr, among: Sequence[ast.expr]) -> StaticValue | None:
    """Return the Python value that the analysis saw for an expression; None if it saw no Python value.

    For a name without a position in the file, the reads of that name in `among` are searched.
    """
    places = [node]
    if isinstance(node, ast.Name):
        places += [n for part in among for n in walk(part) if isinstance(n, ast.Name) and n.id == node.id]
    return next((value for value in map(frame.seen.value, places) if isinstance(value, StaticValue)), None)


def _may_be_number(value: StaticValue | None) -> bool:
    return value is not None and (value.value is STATIC_UNKNOWN or isinstance(value.value, int | float))


def _number(
    frame: CodeContext, functions: str, test: ast.expr, chosen: ast.expr, other: ast.expr
) -> cst.BaseExpression | None:
    """Return ``test * chosen + F.logical_not(test) * other`` for two numbers; legacy comparisons give 1 or 0."""
    if not isinstance(test, ast.Compare) or _draws(functions, test):
        return None
    given = {"test": frame.concrete(test), "chosen": frame.concrete(chosen), "other": frame.concrete(other)}
    return expression("{test} * {chosen} + {F}.logical_not({test}) * {other}", F=functions, **given)


def _draws(functions: str, test: ast.expr) -> bool:
    """Return whether a test draws random numbers, other ones each time it is evaluated."""
    paths = (dotted_parts(n.func) or ("",) for n in each(test, ast.Call))
    return any(path[0] == functions and lookup.draws(path[-1]) for path in paths)


def _beside(
    frame: CodeContext,
    functions: str,
    node: ast.expr,
    other: ast.expr,
    divisors: Mapping[ast.expr, cst.BaseExpression],
) -> cst.BaseExpression:
    """Return one side of ``F.np.where``, with a number beside a tensor written as a tensor.

    In MXNet 1.9.1, ``np.where`` with a number gives the gradient of the side that was not chosen.
    """
    written = _written(frame, node, divisors)
    value, beside = (_python_value(frame, part, (node, other)) for part in (node, other))
    if value is None or not _may_be_number(value) or beside is not None:
        return written
    zeros = expression("{F}.np.zeros_like({like})", F=functions, like=frame.concrete(other))
    return zeros if value.value == 0 else expression("{zeros} + {number}", zeros=zeros, number=written)


def is_graph(condition: ast.expr) -> bool:
    """Return whether operators can compute a condition: it has no builtin, no chained comparison and no None."""
    match condition:
        case ast.Call(func=ast.Name()) | ast.BoolOp() | ast.NamedExpr():
            return False
        case ast.UnaryOp(op=ast.Not()):
            return False
        case ast.Compare(ops=ops, comparators=others):
            return len(ops) == 1 and not any(isinstance(o, ast.Constant) and o.value is None for o in others)
    return True


def conditional(event: Branch) -> ast.IfExp | None:
    """Return the conditional expression whose test an event is about."""
    if isinstance(event.node, ast.IfExp):
        return event.node
    parent = parent_of(event.frame, event.condition)
    return parent if isinstance(parent, ast.IfExp) else None


def _choose_statement(event: Branch, functions: str) -> Fix | None:
    frame = event.frame
    node = event.node if isinstance(event.node, ast.If) else frame.statement
    if not isinstance(node, ast.If) or node.test is not event.condition:
        return None
    before, chosen = node.body[:-1], node.body[-1]
    if len(node.orelse) > (0 if before else 1) or not _are_local(frame, node, before):
        return None
    replaced: list[ast.stmt] = [node]
    other = node.orelse[0] if node.orelse else None
    if other is None and isinstance(chosen, ast.Return) and not before:
        block = block_around(frame, node) or []
        replaced += block[block.index(node) + 1 :][:1]
        other = replaced[1] if len(replaced) > 1 else None
    pair = values_chosen(chosen, other)
    if pair is None:
        return None
    new = where(event, functions, node.test, *pair)
    if new is None and not before and not is_protected(frame, node.test, pair):
        name = free_name(frame, "chosen")
        new = where(event, functions, node.test, *pair, named=name)
        named = statements("{name} = {value}", name=name, value=frame.concrete(pair[0]))
    else:
        named = []
    if new is None:
        return None
    match chosen:
        case ast.Assign(targets=[ast.Name(id=name)]):
            made = statements("{name} = {new}", name=name, new=new)
        case _:
            made = statements("return {new}", new=new)
    made = [*(statements_with(frame, before, {}) if before else named), *made]
    sure = safe_if(not before, _same_shape(event, *pair))
    return replace_statements(frame, replaced, made, sure, message="Choose with F.where")


def _are_local(frame: CodeContext, branch: ast.If, block: Sequence[ast.stmt]) -> bool:
    """Whether statements of a branch compute names that nothing else reads or binds, so that they may always run."""
    named = [n.targets[0].id for n in block if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
    if len(named) < len(block) or any(isinstance(n, ast.Assign) and len(n.targets) > 1 for n in block):
        return False
    inside = {id(n) for n in walk(branch)}
    uses = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name) and n.id in named)
    calls = (n for part in block for n in walk(part) if isinstance(n, ast.Call))
    pure = all(
        isinstance(n.func, ast.Attribute) and (dotted_parts(n.func) or ("",))[0] == frame.functions for n in calls
    )
    return pure and all(id(n) in inside for n in uses)


def values_chosen(chosen: ast.stmt, other: ast.stmt | None) -> tuple[ast.expr, ast.expr] | None:
    """Return the two values that the branches of an ``if`` assign or return; None if they do anything else."""
    match chosen, other:
        case ast.Return(value=ast.expr() as body), ast.Return(value=ast.expr() as alternative):
            return body, alternative
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=body),
            ast.Assign(targets=[ast.Name(id=again)], value=alternative),
        ) if name == again:
            return body, alternative
        case ast.Assign(targets=[ast.Name(id=name) as target], value=body), None:
            return body, ast.copy_location(ast.Name(id=name, ctx=ast.Load()), target)
    return None


def _same_shape(event: Branch, chosen: ast.expr, other: ast.expr) -> bool:
    """Whether both branches are element-wise in a tensor of the condition, and so surely have its shape."""
    root = root_of(chosen)
    names = {n.id for n in walk(event.condition) if isinstance(n, ast.Name)}
    if isinstance(event.value, Tensor) and event.value.mode == "np" and _is_floating(chosen) != _is_floating(other):
        # In numpy mode, integers beside a float become floats; both sides of `where` need one dtype.
        return False
    return root is not None and root == root_of(other) and root in names


def _is_floating(node: ast.expr) -> bool:
    """Whether an expression converts integers to floats."""
    parts = list(walk(node))
    numbers = any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in parts)
    return numbers or any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in parts)


def is_tested(event: Branch) -> bool:
    """Whether the condition's value is surely a tensor, and not an optional input, which may be None."""
    return isinstance(event.value, Tensor) and not event.value.optional
