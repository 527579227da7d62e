"""Fixers of reshapes that only insert an axis: ``x.reshape((1, *x.shape))`` becomes expand_dims."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Fix

#: A run of axes of the data, from the first to before the second; None is the end.
_Run = tuple[int, int | None]

#: An axis of size 1.
_ONE: _Run = (0, 0)


def inserted_axis(
    frame: CodeContext, call: ast.Call, data: ast.expr, shape: ast.expr | Sequence[ast.expr]
) -> Fix | None:
    """Replace a reshape that adds one axis of size 1 to the data's own shape by ``F.expand_dims``, else None."""
    runs = _runs(data, shape)
    if frame.functions is None or runs is None or runs.count(_ONE) != 1 or part_changes(frame, call):
        return None
    at = runs.index(_ONE)
    before, behind = _joined(runs[:at]), _joined(runs[at + 1 :])
    axis = _axis(before, behind)
    if axis is None:
        return None
    new = expression("{F}.expand_dims({x}, axis={axis})", F=frame.functions, x=frame.concrete(data), axis=axis)
    return rewrite(frame, call, new, safe_if(_has_axes(runs, axis)))


def _has_axes(runs: Sequence[_Run], axis: int) -> bool:
    """Whether the data surely have the axes beside the new one. Without them a slice of a shape ends early."""
    beside = axis - 1 if axis > 0 else axis + 1
    return -2 <= axis <= 1 or (beside, beside + 1) in runs


def _axis(before: _Run | None, behind: _Run | None) -> int | None:
    """Return the axis that stands between two runs which are, together, all axes of the data."""
    match before, behind:
        case None, (0, None):
            return 0
        case (0, None), None:
            return -1
        case (0, int() as end), (begin, None) if begin == end:
            return end if end > 0 else end - 1
    return None


def _joined(runs: Sequence[_Run]) -> _Run | None:
    """Return consecutive runs as one run. It is the empty run if there are gaps, None without runs."""
    if not runs:
        return None
    whole = runs[0]
    for run in runs[1:]:
        if run[0] != whole[1]:
            return _ONE
        whole = (whole[0], run[1])
    return whole


def _runs(data: ast.expr, shape: ast.expr | Sequence[ast.expr]) -> list[_Run] | None:
    """Return the axes of the data in a shape, such as ``(*x.shape, 1)`` or ``x.shape[:1] + (1,) + x.shape[1:]``."""
    parts: list[list[_Run] | None]
    match shape:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [_runs(data, left), _runs(data, right)]
        case ast.Tuple(elts=sizes) | ast.List(elts=sizes):
            parts = [_of_size(data, size) for size in sizes]
        case ast.expr():
            run = _run(data, shape)
            parts = [None if run is None else [run]]
        case sizes:
            parts = [_of_size(data, size) for size in sizes]
    return None if None in parts else [run for part in parts if part is not None for run in part]


def _of_size(data: ast.expr, size: ast.expr) -> list[_Run] | None:
    """Return the axes of the data that one element of a tuple of sizes represents."""
    if literal(size) == 1:
        return [_ONE]
    match size:
        case ast.Starred(value=inner):
            return _runs(data, inner)
        case ast.Subscript(value=read, slice=index) if _reads(data, read):
            axis = literal(index)
            return None if axis is None else [(axis, axis + 1 if axis != -1 else None)]
    return None


def _run(data: ast.expr, node: ast.expr) -> _Run | None:
    """Return the axes in ``x.shape`` or in a slice of it, for the data `x`."""
    match node:
        case ast.Subscript(value=read, slice=ast.Slice(lower=lower, upper=upper, step=None)) if _reads(data, read):
            begin, end = 0 if lower is None else literal(lower), literal(upper)
            return None if begin is None or (end is None) != (upper is None) else (begin, end)
        case _ if _reads(data, node):
            return 0, None
    return None


def _reads(data: ast.expr, node: ast.expr) -> bool:
    """Whether an expression is the shape of the data."""
    return isinstance(node, ast.Attribute) and node.attr == "shape" and ast.dump(node.value) == ast.dump(data)
