"""Dtypes and shapes of results in numpy mode: promotion of different dtypes, and results without dimensions."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import broadcast_shapes
from hybridlint.runtime.facts.types import Axes, InferError, Shape, TensorType
from hybridlint.runtime.ops.arrays.broadcasting import kept_shape, reduced_axes

_RANKED = ("bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64")


def is_float(dtype: str | None) -> bool:
    """Whether the dtype is known and floating-point."""
    return dtype is not None and dtype.startswith("float")


def is_floating(x: Any) -> bool:
    """Return whether the elements of an array, or of a value in a gradient rule, are floating-point numbers."""
    return is_float(getattr(x.dtype, "name", None) or x.dtype.__name__)


def is_half(x: Any) -> bool:
    """Return whether the elements of an array, or of a value in a gradient rule, are of float16."""
    return bool((getattr(x.dtype, "name", None) or x.dtype.__name__) == "float16")


def wider(left: str | None, right: str | None) -> str | None:
    """Return the wider of two dtypes, as for a sum, product or power. Raises InferError for int8 with uint8."""
    if left is None or right is None:
        return left or right
    if {left, right} == {"int8", "uint8"}:
        raise InferError("rhs", "int8 and uint8 do not mix")
    return max(left, right, key=_RANKED.index)


def wider_float(left: str | None, right: str | None) -> str | None:
    """Return the result dtype of a difference or remainder.

    Raises InferError for two different integer dtypes: integers mix only with floats.
    """
    if left is None or right is None:
        return left or right
    if left == right and left != "bool":
        return left
    if not is_float(left) and not is_float(right):
        raise InferError("rhs", f"{left} and {right} do not mix")
    return wider(left, right)


def wider_integer(left: str | None, right: str | None) -> str | None:
    """Return the result dtype of a difference or remainder of arrays of different shapes.

    Here different integer dtypes mix too. Raises InferError for int8 with uint8.
    """
    return wider_float(left, right) if left == right else wider(left, right)


def quotient(left: str | None, right: str | None) -> str | None:
    """Return the result dtype of a quotient. Integers of one dtype give float32; integers mix with floats.

    Raises InferError for two different integer dtypes.
    """
    if left is None or right is None:
        return left if is_float(left) else right if is_float(right) else None
    if left != right and is_float(left) == is_float(right):
        raise InferError("rhs", f"{left} and {right} do not mix")
    return left if is_float(left) else right if is_float(right) else "float32"


def one(left: str | None, right: str | None) -> str | None:
    """Return the common dtype. Raises InferError if the two differ."""
    if left is not None and right is not None and left != right:
        raise InferError("rhs", f"expected dtype {left}, got {right}")
    return left or right


def one_number(left: str | None, right: str | None) -> str | None:
    """Return the common dtype. Raises InferError if the two differ or are bool."""
    if "bool" in {left, right}:
        raise InferError("lhs", "arithmetic on dtype bool is not supported")
    return one(left, right)


def one_float(left: str | None, right: str | None) -> str | None:
    """Return the common dtype. Raises InferError if the two differ or are not floating-point."""
    found = one(left, right)
    if found is not None and not is_float(found):
        raise InferError("lhs", f"expected a dtype of floating point, got {found}")
    return found


def one_integer(left: str | None, right: str | None) -> str | None:
    """Return the common dtype. Raises InferError if the two differ or are floating-point."""
    found = one(left, right)
    if is_float(found):
        raise InferError("lhs", f"expected bool or an integer dtype, got {found}")
    return found


def broadcast(lhs: TensorType, rhs: TensorType) -> Shape | None:
    """Return the broadcast of two shapes."""
    return broadcast_shapes(lhs.shape, rhs.shape)


def reduced(shape: Shape, axis: Axes, keepdims: bool) -> Shape:
    """Return the shape of the result of a reduction; () for a reduction over all axes."""
    axes = tuple_of_axes(shape, axis)
    return kept_shape(shape, axes) if keepdims else tuple(d for k, d in enumerate(shape) if k not in axes)


def tuple_of_axes(shape: Shape, axis: Axes) -> tuple[int, ...]:
    """Return the axes of a reduction; an empty tuple reduces none. Raises InferError."""
    if not shape and axis in (0, -1, (0,), (-1,)):
        # A number counts as an axis of its own.
        return ()
    return () if axis == () else reduced_axes(axis, False, len(shape))


def whole(data: TensorType, /) -> TensorType:
    """Return the type itself. Raises InferError for a floating-point dtype."""
    if data.dtype is not None and data.dtype.startswith("float"):
        raise InferError("data", f"expected bool or an integer dtype, got {data.dtype}")
    return data
