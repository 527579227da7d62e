"""Fixers of scales by the square root of a last size, as in attention: contrib.div_sqrt_dim."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Fix, FixKind
from hybridlint.text.syntax import walk

_MODULES = frozenset({"math", "np", "numpy"})


@record(frozen=True, slots=True)
class _Scale:
    """A number that a size gives: its square root, or where it is `inverse` 1 divided by that."""

    node: ast.expr
    inverse: bool


def by_last_size(frame: CodeContext, size: ast.expr) -> Fix | None:
    """Write ``x / math.sqrt(x.shape[-1])`` as ``F.contrib.div_sqrt_dim(x)``.

    A product of matrices is scaled by its factor of that size: ``F.batch_dot(q, k) * q.shape[-1] ** -0.5`` becomes
    ``F.batch_dot(F.contrib.div_sqrt_dim(q), k)``.
    """
    scale = _root(frame, size)
    operation = None if scale is None else parent_of(frame, scale.node)
    match operation:
        case ast.BinOp(left=scaled, op=ast.Div(), right=right) if scale and right is scale.node and not scale.inverse:
            pass
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if scale and scale.inverse:
            scaled = left if right is scale.node else right
        case _:
            return None
    if frame.functions is None or frame.mode == "np" or not isinstance(frame.seen.value(scaled), Tensor):
        return None
    for guess in (False, True):
        reader = SizeInference(frame, guess=guess)
        last = reader.size(size)
        new = None if last is None else _divided(frame, frame.functions, reader, scaled, last)
        if new is not None:
            return rewrite(frame, operation, new, safe_if(not guess))
    return None


def by_named_size(frame: CodeContext) -> Fix | None:
    """Write a scale by the root of a size that names hold, ``d = c // heads``, as long as the code shows these.

    It is a step before the reads of sizes go, by codes of the reshapes that show where such a size is the last one.
    """
    if not isinstance(frame.statement, ast.Assign) or frame.function is None:
        return None
    reader = SizeInference(frame)
    for statement in (n for n in walk(frame.function) if isinstance(n, ast.stmt) and not hasattr(n, "body")):
        there = replace(frame, statement=statement)
        for node in (n for n in walk(statement) if isinstance(n, ast.Name | ast.BinOp)):
            size = None if _root(there, node) is None else reader.size(node)
            fix = by_last_size(there, node) if size is not None and size.sized else None
            if fix is not None:
                return replace(fix, kind=FixKind.STEP)
    return None


def _root(frame: CodeContext, size: ast.expr) -> _Scale | None:
    """Return the number around a size that is its square root, or 1 divided by that."""
    node = parent_of(frame, size)
    match node:
        case ast.Call(func=function, args=[_], keywords=[]) if _is_square_root(function):
            found = _Scale(node, inverse=False)
        case ast.BinOp(left=left, op=ast.Pow(), right=power) if left is size and _number(power) in {0.5, -0.5}:
            found = _Scale(node, inverse=_number(power) == -0.5)
        case _:
            return None
    match parent_of(frame, found.node):
        case ast.BinOp(left=one, op=ast.Div(), right=right) as divided if right is found.node and _number(one) == 1:
            return _Scale(divided, inverse=not found.inverse)
    return found


def _is_square_root(function: ast.expr) -> bool:
    path = dotted_parts(function) or ("",)
    return len(path) == 2 and path[0] in _MODULES and path[1] == "sqrt"


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
    return None


def _divided(
    frame: CodeContext, functions: str, reader: SizeInference, scaled: ast.expr, last: AxisSize
) -> cst.BaseExpression | None:
    """Return a tensor, or one factor of a product, divided by the root of its last size."""
    template = "{F}.contrib.div_sqrt_dim({x})"
    if axis_of(reader.axes(scaled), -1) == last:
        return expression(template, F=functions, x=frame.concrete(scaled))
    if not isinstance(scaled, ast.Call):
        return None
    path = dotted_parts(scaled.func) or ("",)
    operator = lookup.function(path[1:-1], path[-1]) if path[0] == functions else None
    if operator is None or not operator.facts.bilinear:
        return None
    factor = next((node for node in scaled.args[:2] if axis_of(reader.axes(node), -1) == last), None)
    if factor is None:
        return None
    return concrete_with(frame, scaled, {factor: expression(template, F=functions, x=frame.concrete(factor))})
