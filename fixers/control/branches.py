"""Fixers of branches on data (choices in the graph) and of autograd scopes (operators)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import Branch, Frame, Guard, Scope
from hybridlint.analysis.model.values import STATIC_UNKNOWN, Concrete, Function, Mode, Static, Tensor
from hybridlint.fixers.arithmetic.extremes import larger
from hybridlint.fixers.evidence.aliases import decides_alias
from hybridlint.fixers.evidence.shape_guesses import may_have_one_shape, root_of
from hybridlint.fixers.toolkit.names import block_around, dotted, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import restated, taken_out
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.surface import ABSTRACT_CLASSES, has_attribute, namespace_has
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: The value of `F.__name__` in an eager run.
_EAGER_NAME = "mxnet.ndarray"


def choose(event: Branch) -> Fix | None:
    """Write ``a if c else b``, or an ``if`` that only chooses the value of a name, as ``F.where(c, a, b)``."""
    functions = event.frame.functions
    if functions is None or not _tested(event) or not _is_graph(event.condition) or decides_alias(event.frame):
        return None
    if event.kind == "ternary":
        node = _conditional(event)
        if node is None or node.test is not event.condition:
            return None
        new = where(event, functions, node.test, node.body, node.orelse)
        if new is None:
            return None
        return rewrite(event.frame, node, new, safe_if(_same_shape(event, node.body, node.orelse)))
    return _choose_statement(event, functions) if event.kind == "if" else None


def logical(event: Branch) -> Fix | None:
    """Write ``not x`` in a condition as ``F.logical_not(x)``, and ``x and y`` as ``F.where(x, y, x)``."""
    functions, node = event.frame.functions, event.node
    if functions is None or not _tested(event) or event.frame.mode != "legacy":
        return None
    match node:
        case ast.Call():
            return larger(event, functions, node)
        case ast.Compare():
            return _chained(event, functions, node)
        case ast.UnaryOp(op=ast.Not()):
            return _negated(event, functions, node)
        case ast.BoolOp(values=[first, second]):
            return _picked(event, functions, node, first, second)
    return None


def _negated(event: Branch, functions: str, node: ast.UnaryOp) -> Fix | None:
    parent = parent_of(event.frame, node)
    if not isinstance(parent, ast.If | ast.IfExp) or parent.test is not node or _asks_for_none(node.operand):
        return None
    new = expression("{F}.logical_not({operand})", F=functions, operand=event.frame.concrete(node.operand))
    return rewrite(event.frame, node, new, Applicability.SAFE)


def _asks_for_none(node: ast.expr) -> bool:
    """Whether an expression compares with None, which gives a bool or raises for every other operand."""
    if not isinstance(node, ast.Compare):
        return False
    return any(isinstance(side, ast.Constant) and side.value is None for side in (node.left, *node.comparators))


def _picked(event: Branch, functions: str, node: ast.BoolOp, first: ast.expr, second: ast.expr) -> Fix | None:
    """Write ``x and y`` as ``F.where(x, y, x)``, and ``x or y`` as ``F.where(x, x, y)``.

    None if evaluating an operand twice may change the result.
    """
    if not (_is_read(first) and _is_read(second)) or _in_test(event.frame, node):
        return None
    one, other = event.frame.concrete(first), event.frame.concrete(second)
    picked = (other, one) if isinstance(node.op, ast.And) else (one, other)
    new = expression("{F}.where({one}, {picked})", F=functions, one=one, picked=picked)
    return rewrite(event.frame, node, new, Applicability.UNSAFE)


def _is_read(node: ast.expr) -> bool:
    """Whether an expression is a lookup of a name, attribute or item, which gives the same value twice."""
    match node:
        case ast.Name() | ast.Attribute(value=ast.Name()):
            return True
        case ast.Subscript(value=ast.Name(), slice=ast.Constant()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="get"), args=[ast.Constant()], keywords=[]):
            return True
    return False


def _chained(event: Branch, functions: str, node: ast.Compare) -> Fix | None:
    """Write ``0 < x < 5`` as the conjunction of ``0 < x`` and ``x < 5``."""
    if len(node.ops) != 2 or not isinstance(node.comparators[0], ast.Name):
        return None
    match event.frame.concrete(node):
        case cst.Comparison(comparisons=[first, second]) as whole:
            low = whole.with_changes(comparisons=[first], lpar=[], rpar=[])
            spaced = second.operator.with_changes(whitespace_before=cst.SimpleWhitespace(" "))
            second = second.with_changes(operator=spaced)
            high = whole.with_changes(left=first.comparator, comparisons=[second], lpar=[], rpar=[])
        case _:
            return None
    new = expression("{F}.broadcast_logical_and({low}, {high})", F=functions, low=low, high=high)
    return rewrite(event.frame, node, new, Applicability.SAFE)


def where(
    event: Branch, functions: str, test: ast.expr, chosen: ast.expr, other: ast.expr
) -> cst.BaseExpression | None:
    """Return ``F.where(test, chosen, other)``, with a test of one element repeated to the shape of `chosen`.

    Return None if an expression that may change would be written twice, or if nothing suggests that both shapes are
    equal.
    """
    frame = event.frame
    if isinstance(event.value, Tensor) and event.value.mode == "np":
        parts = [
            frame.concrete(test),
            _beside(frame, functions, chosen, other),
            _beside(frame, functions, other, chosen),
        ]
        return expression("{F}.np.where({parts})", F=functions, parts=parts)
    fixed = [_python_value(frame, part, (chosen, other)) for part in (chosen, other)]
    if any(value is not None for value in fixed):
        return _number(frame, functions, test, chosen, other) if all(map(_may_be_number, fixed)) else None
    root = root_of(chosen)
    if (root is None or root != root_of(other)) and not may_have_one_shape(frame, chosen, other):
        return None
    like = next((e.id for e in (chosen, other) if isinstance(e, ast.Name)), None)
    if like is None and root is not None and root == root_of(other):
        like = root
    if like is None and any(isinstance(part, ast.Call) for part in walk(chosen)):
        return None
    template = "{F}.where({F}.broadcast_mul({F}.ones_like({like}), {test}), {chosen}, {other})"
    given = {"test": frame.concrete(test), "chosen": frame.concrete(chosen), "other": frame.concrete(other)}
    return expression(template, F=functions, like=like or frame.concrete(chosen), **given)


def _python_value(frame: Frame, node: ast.expr, among: Sequence[ast.expr]) -> Static | None:
    """Return the Python value of an expression as the analysis saw it; None if it saw none.

    For a name without a position in the file, the reads of that name in `among` are searched.
    """
    places = [node]
    if isinstance(node, ast.Name):
        places += [n for part in among for n in walk(part) if isinstance(n, ast.Name) and n.id == node.id]
    return next((value for value in map(frame.seen.value, places) if isinstance(value, Static)), None)


def _may_be_number(value: Static | None) -> bool:
    return value is not None and (value.value is STATIC_UNKNOWN or isinstance(value.value, int | float))


def _number(
    frame: Frame, functions: str, test: ast.expr, chosen: ast.expr, other: ast.expr
) -> cst.BaseExpression | None:
    """Return ``test * chosen + F.logical_not(test) * other`` for two numbers; legacy comparisons give 1 or 0."""
    if not isinstance(test, ast.Compare):
        return None
    given = {"test": frame.concrete(test), "chosen": frame.concrete(chosen), "other": frame.concrete(other)}
    return expression("{test} * {chosen} + {F}.logical_not({test}) * {other}", F=functions, **given)


def _beside(frame: Frame, functions: str, node: ast.expr, other: ast.expr) -> cst.BaseExpression:
    """Return one side of ``F.np.where``, with a number beside a tensor written as a tensor.

    In MXNet 1.9.1, ``np.where`` with a number gives the gradient of the side that was not chosen.
    """
    written = frame.concrete(node)
    value, beside = (_python_value(frame, part, (node, other)) for part in (node, other))
    if value is None or not _may_be_number(value) or beside is not None:
        return written
    zeros = expression("{F}.np.zeros_like({like})", F=functions, like=frame.concrete(other))
    return zeros if value.value == 0 else expression("{zeros} + {number}", zeros=zeros, number=written)


def eager_side(event: Guard) -> Fix | None:
    """Replace a guard such as ``F is mx.nd`` by the branch that the eager run takes, if that is known."""
    for node in walk(event.frame.statement) if event.frame.statement is not None else ():
        if not isinstance(node, ast.IfExp) or (node is not event.node and node.test is not event.node):
            continue
        truth = _eager_truth(event.frame, node.test)
        if truth is None:
            return None
        kept = event.frame.concrete(node.body if truth else node.orelse)
        return rewrite(event.frame, node, kept, Applicability.SAFE)
    return None


def block_paused(event: Scope) -> Fix | None:
    """Write ``with autograd.pause(): z = e`` as ``z = F.BlockGrad(e)``, for assignments to names only."""
    functions, node = event.frame.functions, event.node
    if functions is None or event.name != "pause" or event.frame.mode != "legacy" or not isinstance(node, ast.With):
        return None
    if event.modal:
        # `pause` also sets predict mode, which operators that read the mode would not see.
        return None
    scope = node.items[0].context_expr
    if len(node.items) != 1 or not isinstance(scope, ast.Call) or scope.args or scope.keywords:
        return None
    if not all(
        isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name) for s in node.body
    ):
        return None
    stopped = _stopped(event.frame, _escaping(event.frame, node))
    if stopped is None:
        return None
    template = "{F}.BlockGrad({value})"
    parts = {value: expression(template, F=functions, value=event.frame.concrete(value)) for value in stopped}
    return taken_out(event.frame, node, Applicability.SAFE, message="Stop the gradient with BlockGrad", parts=parts)


def _escaping(frame: Frame, node: ast.With) -> list[ast.expr]:
    """Return the values last assigned in a `with` to names that are read outside of it."""
    inside = {id(n) for n in walk(node)}
    outside = walk(frame.function) if frame.function is not None else ()
    read = {n.id for n in outside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside}
    last = {
        s.targets[0].id: s.value for s in node.body if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
    }
    values = [value for name, value in last.items() if name in read]
    stopped = {(frame.functions, "BlockGrad"), (frame.functions, "stop_gradient")}
    return [v for v in values if not (isinstance(v, ast.Call) and dotted(v.func) in stopped)]


def _stopped(frame: Frame, values: Sequence[ast.expr]) -> list[ast.expr] | None:
    """Return the values that are new tensors, which are those whose gradient has to be stopped.

    None if a value is not a single new tensor, or may not be: a list, several outputs, or a tensor from before the
    scope.
    """
    found: list[ast.expr] = []
    for node in values:
        held = frame.seen.value(node)
        if isinstance(held, Static | Concrete | Function):
            continue
        if not isinstance(held, Tensor) or held.optional or _may_be_old(frame, node, held):
            return None
        found.append(node)
    return found


def _may_be_old(frame: Frame, node: ast.expr, held: Tensor) -> bool:
    """Whether a tensor may have existed before the expression was evaluated, as in ``y = x``."""
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
        return False
    parts = (frame.seen.value(part) for part in walk(node) if part is not node)
    return held.identity is None or any(isinstance(v, Tensor) and v.identity == held.identity for v in parts)


def unwrap(event: Scope) -> Fix | None:
    """Replace ``with scope: body`` by the body."""
    if (
        not isinstance(event.node, ast.With)
        or len(event.node.items) != 1
        or event.node.items[0].optional_vars is not None
    ):
        return None
    return taken_out(event.frame, event.node, Applicability.SAFE, message="Remove the `with` and keep its body")


def _tested(event: Branch) -> bool:
    """Whether the condition's value is surely a tensor, and not an optional input, which may be None."""
    return isinstance(event.value, Tensor) and not event.value.optional


def _is_graph(condition: ast.expr) -> bool:
    """Whether operators can compute a condition: it has no builtin, no chained comparison and no None."""
    match condition:
        case ast.Call(func=ast.Name()) | ast.BoolOp() | ast.NamedExpr():
            return False
        case ast.UnaryOp(op=ast.Not()):
            return False
        case ast.Compare(ops=ops, comparators=others):
            return len(ops) == 1 and not any(isinstance(o, ast.Constant) and o.value is None for o in others)
    return True


def _conditional(event: Branch) -> ast.IfExp | None:
    if isinstance(event.node, ast.IfExp):
        return event.node
    parent = parent_of(event.frame, event.condition)
    return parent if isinstance(parent, ast.IfExp) else None


def _choose_statement(event: Branch, functions: str) -> Fix | None:
    frame = event.frame
    node = event.node if isinstance(event.node, ast.If) else frame.statement
    if not isinstance(node, ast.If) or node.test is not event.condition:
        return None
    if len(node.body) != 1 or len(node.orelse) > 1:
        return None
    replaced: list[ast.stmt] = [node]
    chosen = node.body[0]
    other = node.orelse[0] if node.orelse else None
    if other is None and isinstance(chosen, ast.Return):
        block = block_around(frame, node) or []
        replaced += block[block.index(node) + 1 :][:1]
        other = replaced[1] if len(replaced) > 1 else None
    pair = _values(chosen, other)
    new = None if pair is None else where(event, functions, node.test, *pair)
    if pair is None or new is None:
        return None
    match chosen:
        case ast.Assign(targets=[ast.Name(id=name)]):
            made = statements("{name} = {new}", name=name, new=new)
        case _:
            made = statements("return {new}", new=new)
    return restated(frame, replaced, made, safe_if(_same_shape(event, *pair)), message="Choose with F.where")


def _values(chosen: ast.stmt, other: ast.stmt | None) -> tuple[ast.expr, ast.expr] | None:
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


def _in_test(frame: Frame, node: ast.AST) -> bool:
    parent = parent_of(frame, node)
    return isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert | ast.BoolOp | ast.UnaryOp)


def _eager_truth(frame: Frame, test: ast.expr) -> bool | None:
    """Return the truth value of a guard in an eager run, such as True for ``F is mx.nd``; None if unknown."""
    answer: bool | None = None
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            inverse = _eager_truth(frame, inner)
            answer = None if inverse is None else not inverse
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]) if name == frame.functions:
            last = (dotted(other) or ("",))[-1]
            if last in {"nd", "ndarray", "sym", "symbol"}:
                answer = (last in {"nd", "ndarray"}) == isinstance(op, ast.Is | ast.Eq)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), ops=[ast.Is() | ast.Eq()], comparators=[kind]):
            answer = _names_array(kind, frame.mode)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            answer = _names_array(kind, frame.mode)
        case ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id=subject), ast.Constant(value=str() as name)]):
            on_namespace = subject == frame.functions
            answer = namespace_has((), name, "eager") if on_namespace else has_attribute(name, "eager", frame.mode)
        case ast.Call(func=ast.Name(id="callable"), args=[_]):
            answer = False
        case ast.Call(func=ast.Attribute(value=named, attr="endswith"), args=[ast.Constant(value=str() as part)]):
            answer = _EAGER_NAME.endswith(part) if _is_name(frame, named) else None
        case ast.Compare(left=ast.Constant(value=str() as part), ops=[ast.In()], comparators=[named]):
            answer = part in _EAGER_NAME if _is_name(frame, named) else None
        case ast.Compare(left=named, ops=[ast.Eq()], comparators=[ast.Constant(value=str() as part)]):
            answer = part == _EAGER_NAME if _is_name(frame, named) else None
    return answer


def _is_name(frame: Frame, node: ast.expr) -> bool:
    """Whether an expression is ``F.__name__``."""
    return frame.functions is not None and dotted(node) == (frame.functions, "__name__")


def _names_array(kind: ast.expr, mode: Mode) -> bool | None:
    if isinstance(kind, ast.Tuple):
        answers = [_names_array(part, mode) for part in kind.elts]
        return True if True in answers else None if None in answers else False
    path = dotted(kind)
    if path is None:
        return None
    if path[-1] in ABSTRACT_CLASSES:
        return ABSTRACT_CLASSES[path[-1]][0]
    if path[-1] == "ndarray":
        return mode == "np"
    # An array of numpy mode is an NDArray too. Only an operator's outputs differ by mode and are a list eagerly.
    return True if path[-1] in {"NDArray", "list"} else False if path[-1] == "Symbol" else None
