"""The sizes of a tensor's axes after a subscript or a slice operator."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, of_number, unknown_size
from hybridlint.fixers.evidence.sizes.size_reader import SizeReader
from hybridlint.fixers.indexing.keys import literal
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text.syntax import takes_one


def axes_of_subscript(reader: SizeReader, node: ast.Subscript) -> TensorAxes | None:
    """Return the axes of ``x[0]``, ``x[:, i]`` or ``x[:, i : i + 1]``; None for keys that may be arrays."""
    whole = reader.axes(node.value)
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if whole is None or len(keys) > len(whole.sizes):
        return None
    sizes: list[AxisSize] = []
    for key, size in zip(keys, whole.sizes, strict=False):
        if isinstance(key, ast.Slice):
            sizes.append(_left(key.lower, key.upper, size) if key.step is None else unknown_size())
        elif literal(key) is None and not _counts(reader, key):
            return None
    return TensorAxes((*sizes, *whole.sizes[len(keys) :]), whole.whole, whole.last)


def axes_of_slices(data: TensorAxes, operator: Operator, given: Mapping[str, ast.expr]) -> TensorAxes | None:
    """Return the axes of ``F.slice`` or ``F.slice_axis`` of some data, by the parameters that are given."""
    if operator is lookup.function((), "slice_axis"):
        place = literal(given.get("axis"))
        axis = place if place is None or place >= 0 or not data.whole else place + len(data.sizes)
        if axis is None or not 0 <= axis < len(data.sizes):
            return None
        size = _left(given.get("begin"), given.get("end"), data.sizes[axis])
        return TensorAxes((*data.sizes[:axis], size, *data.sizes[axis + 1 :]), data.whole, data.last)
    begin, end = (_elements(given.get(name)) for name in ("begin", "end"))
    if "step" in given or max(len(begin), len(end)) > len(data.sizes):
        return None
    bounds = itertools.zip_longest(begin, end, data.sizes)
    return TensorAxes(tuple(_left(low, high, size) for low, high, size in bounds), data.whole, data.last)


def _elements(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [] if node is None else [node]


def _left(low: ast.expr | None, high: ast.expr | None, size: AxisSize) -> AxisSize:
    """Return the size of the part of an axis between two places, None for its ends."""
    if _is_none(low) and _is_none(high):
        return size
    if takes_one(low, high):
        return of_number(1)
    start, stop = (0 if _is_none(low) else literal(low)), literal(high)
    if isinstance(start, int) and isinstance(stop, int) and 0 <= start < stop and size == of_number(1):
        return size
    return unknown_size()


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _counts(reader: SizeReader, key: ast.expr) -> bool:
    """Return whether a key is the number that a loop over ``range`` counts."""
    if not isinstance(key, ast.Name):
        return False
    binding = reader.frame.binding(key)
    return binding is not None and isinstance(source := binding.source, ast.Call) and _is_range(source)


def _is_range(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "range"
