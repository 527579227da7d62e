"""The shapes that code writes: of the arrays that it creates, and of the parts that it takes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.folding import fold_call
from hybridlint.analysis.model.settings import items_of
from hybridlint.analysis.model.shape_provenance import argument_value
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    NumpyArray,
    StaticValue,
    Value,
)
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.types import Shape, TensorType, unknown_shape


def created_type(name: str, arguments: ArgumentsEvent) -> TensorType | None:
    """Return the type of the result of a creation function; None for other functions."""
    if lookup.takes_shape(name):
        return TensorType(written_shape(argument_value(arguments, "shape", 0)))
    if name == "arange":
        limits = [
            _number(argument_value(arguments, key, i)) for i, key in enumerate(("start", "stop", "step", "repeat"))
        ]
        return TensorType((_arange_size(limits),))
    if name == "geomspace" or lookup.takes_count(name):
        count = argument_value(arguments, "num", 2)
        return TensorType((50 if count is None else _known_size(_number(count)),))
    if name == "randn" and arguments.values:
        return TensorType(written_shape(ContainerValue("tuple", arguments.values)))
    if name in {"array", "asarray"}:
        written = argument_value(arguments, "object", 0)
        return TensorType(literal_shape(written), "bool" if _of_booleans(written) else None)
    if name == "eye":
        rows, columns = (_number(argument_value(arguments, key, i)) for i, key in enumerate(("N", "M")))
        return TensorType((_known_size(rows), _known_size(columns or rows)))
    return None


def literal_shape(value: Value | None) -> Shape | None:
    """Return the shape of the array made from nested lists of numbers or from an array; None if unknown."""
    if isinstance(value, NumpyArray | CapturedArray):
        return value.type.shape
    sizes: list[int] = []
    while isinstance(value, ContainerValue) and value.items:
        sizes.append(len(value.items))
        value = value.items[0]
    return tuple(sizes) if sizes and isinstance(value, StaticValue) else None


def _of_booleans(value: Value | None) -> bool:
    """Return whether a value is a boolean or nested lists of booleans."""
    if isinstance(value, ContainerValue):
        return bool(value.items) and all(map(_of_booleans, value.items or ()))
    return isinstance(value, StaticValue) and value.is_boolean


def written_shape(value: Value | None) -> Shape | None:
    """Return the shape given by a number or by a list or tuple of sizes; None for other values.

    Sizes of 0 and sizes that depend on settings become unknown dimensions.
    """
    if isinstance(value, StaticValue) and isinstance(value.value, tuple | list):
        return tuple(_known_size(v) for v in value.value)
    if isinstance(value, StaticValue) and type(value.value) is int:
        return (_known_size(value.value),)
    value = items_of(value) or value
    if isinstance(value, ContainerValue) and value.items is not None and value.kind in {"list", "tuple"}:
        return tuple(_known_size(_number(item)) for item in value.items)
    return None


def reshaped_rank(value: Value | None) -> Shape | None:
    """Return the shape that ``reshape`` gives for a list of sizes: unknown ones and -1 become unknown dimensions.

    None if the number of sizes is unknown or a code below -1 is among them.
    """
    if not isinstance(value, ContainerValue) or value.items is None or value.kind not in {"list", "tuple"}:
        return None
    sizes = [_number(item) for item in value.items]
    if any(type(size) is int and size < -1 for size in sizes):
        return None
    return tuple(size if type(size) is int and size > 0 else unknown_shape(1)[0] for size in sizes)


def _number(value: Value | None) -> Any:
    return value.value if isinstance(value, StaticValue) else None if value is None else STATIC_UNKNOWN


def _known_size(size: Any) -> DimLike:
    return size if type(size) is int and size > 0 else unknown_shape(1)[0]


def _arange_size(limits: list[Any]) -> DimLike:
    start, stop, step, repeat = limits
    if stop is None:
        start, stop = 0, start
    numbers = (start, stop, 1 if step is None else step, 1 if repeat is None else repeat)
    if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers) or not numbers[2]:
        return unknown_shape(1)[0]
    count = fold_call(lambda first, last, by, times: max(math.ceil((last - first) / by), 0) * int(times), *numbers)
    return _known_size(count)


#: Slices whose bounds are unknown: of one element, and of any number.
ONE_ELEMENT, SOME_ELEMENTS = slice("one"), slice("some")


def subscript_type(data: TensorType, keys: Sequence[Value]) -> TensorType:
    """Return the type of ``x[keys]`` in an eager run, for keys of integers, slices, None and Ellipsis.

    A slice may be `ONE_ELEMENT` or `SOME_ELEMENTS`.
    """
    if data.shape is None:
        return TensorType(None, data.dtype)
    parts: list[Any] = [key.value if isinstance(key, StaticValue) else STATIC_UNKNOWN for key in keys]
    if any(p is STATIC_UNKNOWN or not (p is None or p is Ellipsis or type(p) in {int, slice}) for p in parts):
        return TensorType(None, data.dtype)
    given = sum(p is not None and p is not Ellipsis for p in parts)
    if given > len(data.shape):
        return TensorType(None, data.dtype)
    if Ellipsis not in parts:
        parts.append(Ellipsis)
    return TensorType(_select(data.shape, parts, len(data.shape) - given), data.dtype)


def _select(shape: Shape, parts: Sequence[Any], rest: int) -> Shape:
    result: list[DimLike] = []
    at = 0
    for part in parts:
        if part is None:
            result.append(1)
        elif part is Ellipsis:
            result += shape[at : at + rest]
            at += rest
        else:
            if isinstance(part, slice):
                result.append(_slice_size(shape[at], part))
            at += 1
    return tuple(result)


def _slice_size(size: DimLike, part: slice) -> DimLike:
    if part == slice(None):
        return size
    if part == ONE_ELEMENT:
        return 1
    # Other bounds than integers raise in either run.
    whole = all(bound is None or isinstance(bound, int) for bound in (part.start, part.stop, part.step))
    if isinstance(size, int) and whole and part.step != 0 and part != SOME_ELEMENTS:
        return len(range(*part.indices(size)))
    return unknown_shape(1)[0]
