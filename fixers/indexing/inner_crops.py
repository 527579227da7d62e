"""Fixers of tensors that are cropped to another one's sizes from an offset on, or in the middle: slice_like, Crop."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.axis_size import axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import is_none, literal
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: The axes that Crop cuts, of images with channels first.
_IMAGE = (2, 3)


@record(frozen=True, slots=True)
class _Cut:
    """An axis cut from `begin` on to the size of the same axis of the tensor `like`, which `size` reads."""

    axis: int
    begin: ast.expr
    size: ast.expr
    like: str


def inner_crop(frame: CodeContext, node: ast.Subscript) -> Fix | None:
    """Write ``y[:, 1 : 1 + x.shape[1]]`` as slice_like after the offset, and a middle crop as Crop.

    Unsafe: a subscript stops at the end of the axis, these operators do not. None for other keys.
    """
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    cuts: list[_Cut] = []
    for axis, key in enumerate(keys):
        if not isinstance(key, ast.Slice) or not (key.step is None or is_none(key.step)):
            return None
        if key.lower is None and key.upper is None:
            continue
        cut = _cut(frame, node, axis, key)
        if cut is None:
            return None
        cuts.append(cut)
    if len({cut.like for cut in cuts}) != 1 or frame.mode != "legacy" or part_changes(frame, node):
        return None
    begins = [literal(cut.begin) for cut in cuts]
    if all(begin is not None and begin >= 0 for begin in begins):
        places = [None if all(cut.axis != axis for cut in cuts) else 0 for axis in range(len(keys))]
        for cut, begin in zip(cuts, begins, strict=True):
            places[cut.axis] = begin
        template = "{F}.slice_like({F}.slice({x}, begin=({begin},), end=({end},)), {like}, axes=({axes},))"
        ends = [None] * len(keys)
    elif tuple(cut.axis for cut in cuts) == _IMAGE and all(_is_middle(frame, node, cut) for cut in cuts):
        template, places, ends = "{F}.Crop({x}, {like}, center_crop=True)", [None], [None]
    else:
        return None
    x, like, axes = frame.concrete(node.value), cuts[0].like, [cut.axis for cut in cuts]
    new = expression(template, F=frame.functions, x=x, like=like, begin=places, end=ends, axes=axes)
    return with_broadcasting(frame, node, new, Applicability.UNSAFE)


def _cut(frame: CodeContext, node: ast.Subscript, axis: int, key: ast.Slice) -> _Cut | None:
    """Return the cut of a slice ``begin : begin + size``; None for any other slice, or size."""
    match key:
        case ast.Slice(lower=ast.expr() as begin, upper=ast.BinOp(left=left, op=ast.Add(), right=right)):
            size = right if ast.dump(left) == ast.dump(begin) else left if ast.dump(right) == ast.dump(begin) else None
        case _:
            return None
    like = None if size is None else _like(frame, node, size, axis)
    return None if size is None or like is None else _Cut(axis, begin, size, like)


def _like(frame: CodeContext, node: ast.Subscript, size: ast.expr, axis: int) -> str | None:
    """Return the name of a tensor with this size on the axis, whose shape the function reads; None without one."""
    reader, nodes = SizeInference(frame), walk(frame.function or ast.Pass())
    wanted = reader.size(size)
    shapes = (n.value for n in nodes if isinstance(n, ast.Attribute) and n.attr == "shape")
    for name in sorted({tensor.id for tensor in shapes if isinstance(tensor, ast.Name)}):
        here = ast.copy_location(ast.Name(name, ast.Load()), node)
        if wanted is not None and axis_of(reader.axes(here), axis) == wanted:
            return name
    return None


def _is_middle(frame: CodeContext, node: ast.Subscript, cut: _Cut) -> bool:
    """Return whether a cut begins as far from the start of an axis as it ends from its end."""
    begin = _bound(frame, cut.begin)
    return begin is not None and _is_half(frame, node, begin, cut)


def _bound(frame: CodeContext, node: ast.expr) -> ast.expr | None:
    """Return the expression whose value a name has where it is read; other nodes unchanged."""
    if not isinstance(node, ast.Name):
        return node
    binding = frame.binding(node)
    return None if binding is None else binding.value


def _is_half(frame: CodeContext, node: ast.Subscript, begin: ast.expr, cut: _Cut) -> bool:
    """Return whether an expression is half the difference between an axis and the size that it is cut to."""
    match begin:
        case ast.BinOp(left=ast.BinOp(left=whole, op=ast.Sub(), right=size), op=ast.FloorDiv(), right=half):
            pass
        case _:
            return False
    reader = SizeInference(frame)
    known = axis_of(reader.axes(node.value), cut.axis)
    same = known is not None and reader.size(whole) == known and reader.size(size) == reader.size(cut.size)
    return same and literal(half) == 2
