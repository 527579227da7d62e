"""Fixers of operators around an expression whose shape changes: functions that broadcast arrays and Symbols."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import DataDependentValue, StaticValue
from hybridlint.fixers.arithmetic.python_operators import SYMBOLS, broadcasting_call
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.evidence.tensors import may_be_first_number, proved_tensor
from hybridlint.fixers.indexing.keys import whole_slice
from hybridlint.fixers.toolkit.names import LIST_METHODS, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, edited_expression, rewrite
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import holds, walk

#: The symbols of comparisons.
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@record(frozen=True, slots=True)
class SurroundingOperator:
    """An expression of the file, its replacement, and whether the replacement is surely right."""

    node: ast.expr
    new: cst.BaseExpression
    sure: bool


def with_broadcasting(
    frame: CodeContext, node: ast.expr, new: cst.BaseExpression, applicability: Applicability
) -> Fix | None:
    """Replace `node` by `new`, and the operators around it by functions that broadcast."""
    around = broadcasting_around(frame, node, new)
    return rewrite(frame, around.node, around.new, applicability if around.sure else Applicability.UNSAFE)


def with_broadcasting_around(frame: CodeContext, node: ast.expr, fix: Fix) -> Fix | None:
    """Extend a fix of `node` so that the operators around it become functions that broadcast."""
    around = broadcasting_around(frame, node, edited_expression(frame, node, fix.edits), interpreted=True)
    whole = rewrite(frame, around.node, around.new, fix.applicability)
    span = frame.source.span(around.node)
    outside = [edit for edit in fix.edits if not span.contains(edit.span)]
    if whole is None:
        # The operator stays as it is: the other operand may be a number.
        return fix if outside else None
    applicability = fix.applicability if around.sure else Applicability.UNSAFE
    return replace(fix, edits=(*outside, *whole.edits), applicability=applicability)


def broadcasting_around(
    frame: CodeContext, node: ast.expr, new: cst.BaseExpression, *, interpreted: bool = False
) -> SurroundingOperator:
    """Return the operators around `node` as functions that broadcast, with `new` in the place of `node`.

    For `node` ``y[0]`` in ``y[0] + x``, the result is ``F.broadcast_add(new, x)``. Arrays broadcast under every Python
    operator; Symbols only in these functions. The first operator whose other operand may be a number stays as it is,
    and so do the operators around it; the result is then not sure. With `interpreted`, what the analysis proved to be a
    tensor is none; otherwise the code must show it.
    """
    around = inner = SurroundingOperator(node, new, sure=True)
    for operator in _operators(frame, node):
        left, symbol, right = _parts(operator)
        here, other = (left, right) if holds(left, node) else (right, left)
        if isinstance(other, ast.Constant):
            continue
        if isinstance(operator, ast.BinOp) and (cut := _cut_form(left)) is not None and cut == _cut_form(right):
            # Two parts of one tensor: this operator stays, whatever becomes of those around it.
            inner = replace(inner, node=operator, new=concrete_with(frame, operator, {inner.node: inner.new}))
            continue
        if any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and holds(n, node) for n in walk(here)):
            # What a function of Python returns, such as len, may be a number.
            return replace(around, sure=False)
        proved = proved_tensor(frame, other) and not may_be_first_number(frame, other)
        if symbol is None or frame.functions is None or not ((interpreted and proved) or surely_tensor(frame, other)):
            return replace(around, sure=False)
        changed, beside = concrete_with(frame, here, {inner.node: inner.new}), frame.concrete(other)
        operands = (changed, beside) if here is left else (beside, changed)
        call = broadcasting_call(frame.functions, symbol, *operands)
        assert call is not None
        around = inner = SurroundingOperator(operator, call, around.sure and proved)
    return around


def _cut_form(node: ast.expr) -> str | None:
    """Return a text that parts of one tensor with equal shapes share: ``x[..., 2]`` and ``x[..., 0] * 2``.

    None for other expressions.
    """
    match node:
        case ast.BinOp(left=left, right=ast.Constant()):
            return _cut_form(left)
        case ast.BinOp(left=ast.Constant(), right=right):
            return _cut_form(right)
        case ast.BinOp(left=left, right=right):
            form = _cut_form(left)
            return form if form == _cut_form(right) else None
        case ast.UnaryOp(operand=operand):
            return _cut_form(operand)
    return _part_form(node)


def _part_form(node: ast.expr) -> str | None:
    """Return the tensor and the axis that a part drops, or the text of its keys; None if an expression is no part."""
    match node:
        case ast.Subscript(value=tensor, slice=key) if not (isinstance(key, ast.Tuple) and not key.elts):
            *keys, last = key.elts if isinstance(key, ast.Tuple) else [key]
            if _is_index(last) and all(map(whole_slice, keys)):
                return f"{ast.unparse(tensor)} {len(keys)}"
            if _is_index(last) and [ast.unparse(k) for k in keys] == ["..."]:
                return f"{ast.unparse(tensor)} -1"
            return f"{ast.unparse(tensor)}[{', '.join('0' if _is_index(k) else ast.unparse(k) for k in [*keys, last])}]"
        case ast.Call(
            func=ast.Attribute(attr="squeeze"),
            args=[ast.Call(func=ast.Attribute(attr="slice_axis"), args=[tensor])],
            keywords=[ast.keyword(arg="axis", value=axis)],
        ):
            return f"{ast.unparse(tensor)} {ast.unparse(axis)}"
    return None


def _is_index(key: ast.expr) -> bool:
    """Whether a key is a whole number, which drops its axis."""
    number = key.operand if isinstance(key, ast.UnaryOp) else key
    return isinstance(number, ast.Constant) and type(number.value) is int


def used_as_tensor(frame: CodeContext, name: str) -> bool:
    """Whether the function uses a name as only a tensor allows: in arithmetic, or with methods or functions of F."""
    if frame.function is None:
        return False
    return any(_uses_as_tensor(frame, node, name) for node in walk(frame.function))


def _uses_as_tensor(frame: CodeContext, node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=receiver), attr=method)) if receiver == name:
            return method not in LIST_METHODS
        case ast.Call(func=func, args=[ast.Name(id=first), *_]) if first == name:
            path = dotted_parts(func)
            return (
                path is not None and path[0] == frame.functions and path[-1] not in {"foreach", "while_loop", "add_n"}
            )
        case ast.BinOp(left=left, right=right, op=op):
            operands = [part.id for part in (left, right) if isinstance(part, ast.Name)]
            return name in operands and not isinstance(op, ast.Add | ast.Mult)
    return False


def _operators(frame: CodeContext, node: ast.expr) -> list[ast.BinOp | ast.Compare]:
    """Return the operators around the node that take it as operand, also through calls; inner ones first."""
    found: list[ast.BinOp | ast.Compare] = []
    inner: ast.AST = node
    parent = parent_of(frame, inner)
    while isinstance(parent, ast.Attribute | ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare):
        if isinstance(parent, ast.Call) and isinstance(frame.seen.value(parent), StaticValue | DataDependentValue):
            # A number, such as a length, broadcasts by itself.
            break
        if isinstance(parent, ast.BinOp | ast.Compare):
            found.append(parent)
        inner, parent = parent, parent_of(frame, parent)
    return found


def _parts(operator: ast.BinOp | ast.Compare) -> tuple[ast.expr, str | None, ast.expr]:
    """Return the left operand, the symbol and the right operand; no symbol if no function of F does the same."""
    if isinstance(operator, ast.BinOp):
        return operator.left, SYMBOLS.get(type(operator.op)), operator.right
    symbol = COMPARISONS.get(type(operator.ops[0])) if len(operator.ops) == 1 else None
    return operator.left, symbol, operator.comparators[-1]
