"""Fixers of sums divided by the number of what they add up: means."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.evidence.shape_guesses import root_of
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sizes import parse
from hybridlint.fixers.toolkit.names import dotted, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Applicability, Fix


def as_mean(frame: Frame, size: ast.expr) -> Fix | None:
    """Write ``F.sum(x, axis=1) / x.shape[1]`` as ``F.mean(x, axis=1)``, and ``x.sum() / x.size`` as ``x.mean()``.

    `size` is the divisor.
    """
    divided = parent_of(frame, size)
    match divided:
        case ast.BinOp(left=ast.Call(func=ast.Attribute(attr="sum") as function) as added, op=ast.Div(), right=right):
            pass
        case _:
            return None
    summed, counted = _summed(frame, added), _counted(size)
    if right is not size or summed is None or counted is None:
        return None
    rows, axis = summed
    if (root_of(rows), axis) != counted:
        return None
    new = expression("{receiver}.mean", receiver=frame.concrete(function.value))
    return rewrite(frame, divided, concrete_with(frame, added, {function: new}), Applicability.SAFE)


def _summed(frame: Frame, call: ast.Call) -> tuple[ast.expr, int | None] | None:
    """Return the tensor that a sum adds up, and its axis (None for all axes); None if the axes are not clear."""
    assert isinstance(call.func, ast.Attribute)
    path, values = dotted(call.func.value), list(call.args)
    if path not in {(frame.functions,), (frame.functions, "np")}:
        values.insert(0, call.func.value)
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    given.pop("keepdims", None)
    axis = values[1] if len(values) == 2 else given.pop("axis", None)
    number = None if axis is None else literal(axis)
    if not 1 <= len(values) <= 2 or given or (axis is not None and number is None):
        return None
    return values[0], number


def _counted(size: ast.expr) -> tuple[str, int | None] | None:
    """Return the tensor and the axis whose size an expression reads; the axis is None for all elements."""
    match size:
        case ast.Attribute(value=ast.Name(id=name), attr="size"):
            return name, None
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name, 0
    found = parse(size)
    return None if found is None else found.plain
