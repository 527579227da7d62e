"""The axes whose sizes names hold: ``size[0]`` of ``size = x.shape[2:]``, and `w` of ``*_, w = x.shape``."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.bindings import Binding
from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.indexing.keys import literal


def part_of_shape(value: ast.expr) -> tuple[ast.Attribute, int] | None:
    """Return the ``x.shape`` in a part of it and the first axis of that: 2 of ``x.shape[2:]``, -2 of ``x.shape[-2:]``.

    None for other expressions, and where the part is cut off at an axis that is counted from the other end.
    """
    match value:
        case ast.Attribute(value=ast.Name(), attr="shape"):
            return value, 0
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape") as shape, slice=ast.Slice() as key):
            first = 0 if key.lower is None else literal(key.lower)
            last = None if key.upper is None else literal(key.upper)
            open_ended = key.upper is None or (last is not None and first is not None and (last < 0) == (first < 0))
            return (shape, first) if key.step is None and first is not None and open_ended else None
    return None


def axis_of_part(value: ast.expr, place: int) -> int | None:
    """Return the tensor's axis at an index of a part of its shape; None if that depends on the rank."""
    found = part_of_shape(value)
    if found is None or place < 0:
        return place if found is not None and _goes_to_the_end(value) else None
    axis = found[1] + place
    return axis if found[1] >= 0 or axis < 0 else None


def _goes_to_the_end(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice) and value.slice.upper)


def tail_read(value: ast.expr) -> tuple[ast.Name, int] | None:
    """Return the tensor and the first axis of ``x.shape[1:]``, all axes from there on; None for other expressions."""
    found = part_of_shape(value)
    if found is None or found[1] < 0 or not _goes_to_the_end(value) or not isinstance(found[0].value, ast.Name):
        return None
    return found[0].value, found[1]


def axis_bound(binding: Binding) -> tuple[ast.Attribute, int] | None:
    """Return the ``x.shape`` and the axis whose size a binding gives to its name; None for other bindings.

    Such as -1 for `w` in ``*_, h, w = x.shape`` and in ``w = x.shape[-1]``, and 3 for it in ``h, w = x.shape[2:]``.
    """
    whole, place = binding.source, binding.item
    if isinstance(binding.value, ast.Subscript):
        whole, place = binding.value.value, literal(binding.value.slice)
    if whole is None or not isinstance(place, int):
        return None
    found, axis = part_of_shape(whole), axis_of_part(whole, place)
    return None if found is None or axis is None else (found[0], axis)


def axis_by_name(frame: CodeContext, node: ast.Subscript) -> tuple[ast.Name, int] | None:
    """Return the tensor and the axis that ``size[0]`` reads, if `size` is bound once to a part of a shape."""
    place = literal(node.slice)
    if not isinstance(node.value, ast.Name) or place is None:
        return None
    binding = frame.binding(node.value)
    if binding is None or binding.value is None or not binding.is_plain:
        return None
    found, axis = part_of_shape(binding.value), axis_of_part(binding.value, place)
    if found is None or axis is None or not isinstance(found[0].value, ast.Name):
        return None
    return found[0].value, axis
