"""The numbers of a quantized array: integers times a step, which follows from the range of the numbers."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Sample, sample
from hybridlint.runtime.facts.types import Shape, TensorType

#: The largest integer of a dtype.
LARGEST = {"int8": 127.0, "uint8": 255.0, "int32": float(0x7FFFFFFF)}
#: The integer, half a step beyond the largest, that MXNet's conversions map the end of the range to.
BEYOND = {"int8": 127.5, "uint8": 255.5, "int32": float(0x7FFFFFFF)}
_BOUNDS = {"int8": (-128, 127), "uint8": (0, 255)}

#: The type of the end of a range.
END = TensorType((1,), "float32")


def extent(xp: Any, *ends: Any) -> Any:
    """Return the largest magnitude of some ends of ranges."""
    return xp.max(xp.stack([xp.abs(end).max() for end in ends]))


def rounded(xp: Any, values: Any, dtype: str) -> Any:
    """Return the nearest integers that the dtype holds; halves go to even ones."""
    return xp.clip(xp.rint(values), *_BOUNDS[dtype]).astype(dtype)


def single(xp: Any, value: Any) -> Any:
    """Return the end of a range as an array of one number."""
    return xp.asarray(value).reshape(1).astype("float32")


def ends(xp: Any, magnitude: Any) -> tuple[Any, Any]:
    """Return the ends of a range around zero."""
    return single(xp, -magnitude), single(xp, magnitude)


def ranged(shape: Shape | None, dtype: str) -> tuple[TensorType, ...]:
    """Return the types of a quantized result and of the ends of its range."""
    return TensorType(shape, dtype), END, END


def complete_pair(lhs: TensorType, rhs: TensorType, *ranges: TensorType) -> tuple[TensorType, ...]:
    """Return the types of two arrays of one shape, and of the ends of their ranges. Raises InferError otherwise."""
    shape = unify_shapes(lhs.shape, rhs.shape, "rhs")
    return lhs.with_shape(shape), rhs.with_shape(shape), *(END for _ in ranges)


def quantized_sample(*shapes: Shape, dtypes: tuple[str, ...], ranges: int, **params: Any) -> Sample:
    """Return a sample of integers and a given number of ends of ranges, which are positive numbers."""
    return sample(
        *shapes, *((1,) for _ in range(ranges)), low=0.5, high=9.0, dtypes=(*dtypes, *("float32",) * ranges), **params
    )
