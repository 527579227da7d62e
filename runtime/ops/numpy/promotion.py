"""Dtypes and shapes of numpy mode: results without dimensions, and arithmetic on arrays of different dtypes."""

from __future__ import annotations

from hybridlint.runtime.facts.infer import broadcast_shapes
from hybridlint.runtime.facts.types import Axes, InferError, Shape, TensorType
from hybridlint.runtime.ops.arrays.broadcasting import kept_shape, reduced_axes

_RANKED = ("bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64")


def is_float(dtype: str | None) -> bool:
    """Whether the dtype is known and holds fractions."""
    return dtype is not None and dtype.startswith("float")


def wider(left: str | None, right: str | None) -> str | None:
    """Return the dtype of a sum, product or power. Raises InferError for int8 beside uint8."""
    if left is None or right is None:
        return left or right
    if {left, right} == {"int8", "uint8"}:
        raise InferError("rhs", "int8 and uint8 do not mix")
    return max(left, right, key=_RANKED.index)


def wider_float(left: str | None, right: str | None) -> str | None:
    """Return the dtype of a difference or remainder: integers mix with floats only. Raises InferError."""
    if left is None or right is None:
        return left or right
    if left == right and left != "bool":
        return left
    if not is_float(left) and not is_float(right):
        raise InferError("rhs", f"{left} and {right} do not mix")
    return wider(left, right)


def wider_integer(left: str | None, right: str | None) -> str | None:
    """Return the dtype of a difference or remainder of arrays of two shapes: integers mix too. Raises InferError."""
    return wider_float(left, right) if left == right else wider(left, right)


def quotient(left: str | None, right: str | None) -> str | None:
    """Return the dtype of a quotient: float32 of integers, which must be of one dtype, and floats mix with integers."""
    if left is None or right is None:
        return left if is_float(left) else right if is_float(right) else None
    if left != right and is_float(left) == is_float(right):
        raise InferError("rhs", f"{left} and {right} do not mix")
    return left if is_float(left) else right if is_float(right) else "float32"


def one(left: str | None, right: str | None) -> str | None:
    """Return the dtype that both have. Raises InferError where they differ."""
    if left is not None and right is not None and left != right:
        raise InferError("rhs", f"expected dtype {left}, got {right}")
    return left or right


def one_number(left: str | None, right: str | None) -> str | None:
    """Return the dtype that both have, which is not bool. Raises InferError."""
    if "bool" in {left, right}:
        raise InferError("lhs", "arithmetic on dtype bool is not supported")
    return one(left, right)


def one_float(left: str | None, right: str | None) -> str | None:
    """Return the dtype that both have, which is of floating point. Raises InferError."""
    found = one(left, right)
    if found is not None and not is_float(found):
        raise InferError("lhs", f"expected a dtype of floating point, got {found}")
    return found


def one_integer(left: str | None, right: str | None) -> str | None:
    """Return the dtype that both have, bool or integer. Raises InferError."""
    found = one(left, right)
    if is_float(found):
        raise InferError("lhs", f"expected bool or an integer dtype, got {found}")
    return found


def broadcast(lhs: TensorType, rhs: TensorType) -> Shape | None:
    """Return the broadcast of two shapes."""
    return broadcast_shapes(lhs.shape, rhs.shape)


def reduced(shape: Shape, axis: Axes, keepdims: bool) -> Shape:
    """Return the shape that a reduction leaves; of all axes it is ()."""
    axes = tuple_of_axes(shape, axis)
    return kept_shape(shape, axes) if keepdims else tuple(d for k, d in enumerate(shape) if k not in axes)


def tuple_of_axes(shape: Shape, axis: Axes) -> tuple[int, ...]:
    """Return the axes of a reduction; an empty tuple reduces none. Raises InferError."""
    return () if axis == () else reduced_axes(axis, False, len(shape))


def whole(data: TensorType, /) -> TensorType:
    """Return the type itself. Raises InferError for fractions."""
    if data.dtype is not None and data.dtype.startswith("float"):
        raise InferError("data", f"expected bool or an integer dtype, got {data.dtype}")
    return data
