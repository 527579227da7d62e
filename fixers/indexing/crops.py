"""Fixers of tensors that are cropped to the sizes of other tensors: slice_like."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.indexing.keys import is_none, literal
from hybridlint.fixers.shapes.sizes import parse, vector
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.concrete import code
from hybridlint.text.edits import Applicability, Fix

Bounds = tuple[ast.expr | None, ast.expr | None]


def crop(frame: CodeContext, node: ast.Subscript) -> Fix | None:
    """Write ``y[:, : x.shape[1]]`` as ``F.slice_like(y, x, axes=(1,))``; None for other keys."""
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    bounds: dict[int, Bounds] = {}
    for axis, key in enumerate(keys):
        if not isinstance(key, ast.Slice) or not (key.step is None or is_none(key.step)):
            return None
        bounds[axis] = key.lower, key.upper
    return crop_like(frame, node, node.value, bounds)


def crop_around(frame: CodeContext, size: ast.expr) -> Fix | None:
    """Write the subscript with a size as the bound of a slice, ``y[:, :size]``, as slice_like."""
    key = parent_of(frame, size)
    outer = parent_of(frame, key) if isinstance(key, ast.Slice) else None
    outer = parent_of(frame, outer) if isinstance(outer, ast.Tuple) else outer
    return crop(frame, outer) if isinstance(outer, ast.Subscript) else None


def crop_like(frame: CodeContext, node: ast.expr, data: ast.expr, bounds: Mapping[int, Bounds]) -> Fix | None:
    """Write `node`, which cuts axes of `data` to sizes of tensors, as slice_like.

    Unsafe: a subscript stops at the end of the axis, slice_like does not.
    """
    likes: dict[str, tuple[cst.BaseExpression, list[int]]] = {}
    for axis, (lower, upper) in bounds.items():
        if lower is not None and not is_none(lower) and literal(lower) != 0:
            return None
        if upper is None or is_none(upper):
            continue
        like = _like(frame, upper, axis)
        if like is None:
            return None
        likes.setdefault(code(like), (like, []))[1].append(axis)
    if not likes or frame.mode != "legacy" or part_changes(frame, node):
        return None
    new = frame.concrete(data)
    for like, axes in likes.values():
        template = "{F}.slice_like({data}, {like}, axes=({axes},))"
        new = expression(template, F=frame.functions, data=new, like=like, axes=axes)
    return with_broadcasting(frame, node, new, Applicability.UNSAFE)


def _like(frame: CodeContext, bound: ast.expr, axis: int) -> cst.BaseExpression | None:
    """Return a tensor whose `axis` is as long as the size in `bound`; None without a size."""
    size = parse(bound)
    if size is None or not size.axes or frame.functions is None:
        return None
    if size.plain is not None and size.plain[1] == axis:
        return expression("{tensor}", tensor=size.plain[0])
    new = vector(frame.functions, size)
    if axis == 0:
        return new
    return expression("{F}.reshape({x}, ({ones}, -1))", F=frame.functions, x=new, ones=[1] * axis)
