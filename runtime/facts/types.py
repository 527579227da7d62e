"""Types of tensors: a shape and a dtype, each possibly unknown. Pure Python: the linter uses it without numpy."""

from __future__ import annotations

from typing import TypeAlias

from hybridlint.runtime.facts.dims import Dim, DimLike, differ
from hybridlint.runtime.facts.records import record

Shape: TypeAlias = tuple[DimLike, ...]

# Annotations of operator parameters. Beside these: int, float, bool, str, and each with ``| None``. A call's arguments
# are normalized by them: an int given for Ints becomes a tuple of one, numpy.float32 given for Dtype its name.
Ints: TypeAlias = tuple[int, ...]
Floats: TypeAlias = tuple[float, ...]
Pairs: TypeAlias = tuple[tuple[int, int], ...]
Axes: TypeAlias = int | tuple[int, ...] | None
Bounds: TypeAlias = tuple[int | None, ...]
Dtype: TypeAlias = str

#: Name of a dtype -> MXNet's type flag in files and in the attribute ``__dtype__``.
DTYPE_FLAGS = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
}


def itemsize(dtype: str) -> int:
    """Return the bytes of one element, from the number of bits in the dtype's name. Raises ValueError otherwise."""
    return 1 if dtype == "bool" else int(dtype.lstrip("bfloatuin")) // 8


class InferError(ValueError):
    """The types of an operator's inputs are incompatible.

    `argument` names the input or parameter at fault, `reason` says in one sentence what is wrong.
    """

    def __init__(self, argument: str, reason: str) -> None:
        super().__init__(f"{argument}: {reason}")
        self.argument = argument
        self.reason = reason


class ValuesInferError(InferError):
    """Types or parameters that MXNet refuses with Python's own ValueError, where others are an MXNetError."""


class LateError(ValueError):
    """The values of an operator's inputs or parameters are wrong, which MXNet finds out only where it computes."""


class ValuesError(LateError):
    """Values that MXNet refuses with Python's own ValueError, where others are an MXNetError."""


class LateIndexError(LateError, IndexError):
    """An index is out of bounds, which MXNet finds out only where it computes, and tells by an IndexError."""


@record(frozen=True, slots=True)
class TensorType:
    """The static type of a tensor. `shape` is None for an unknown rank, `dtype` None for an unknown dtype."""

    shape: Shape | None = None
    dtype: str | None = None

    @property
    def rank(self) -> int | None:
        """Number of dimensions, if known."""
        return None if self.shape is None else len(self.shape)

    @property
    def known(self) -> bool:
        """Whether nothing about the tensor is left to infer."""
        return self.dtype is not None and self.shape is not None and all(isinstance(d, int) for d in self.shape)

    def with_shape(self, shape: Shape | None) -> TensorType:
        """Return the type with another shape."""
        return TensorType(shape, self.dtype)

    def with_dtype(self, dtype: str | None) -> TensorType:
        """Return the type with another dtype."""
        return TensorType(self.shape, dtype)

    def provably_differs(self, other: TensorType) -> bool:
        """Whether the two shapes differ for all values of the unknown sizes."""
        if self.shape is None or other.shape is None:
            return False
        if len(self.shape) != len(other.shape):
            return True
        return any(differ(a, b) for a, b in zip(self.shape, other.shape, strict=True))

    def provably_equals(self, other: TensorType) -> bool:
        """Whether the two shapes are equal for all values of the unknown sizes."""
        return self.shape is not None and self.shape == other.shape

    def __str__(self) -> str:
        return "(unknown shape)" if self.shape is None else show_shape(self.shape)


def show_shape(shape: Shape) -> str:
    """Return a shape as Python writes it, with ``?`` for unknown sizes: ``(N, 64, ?)``."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def unknown_shape(rank: int) -> Shape:
    """Return a shape of known rank and unknown sizes."""
    return tuple(Dim.fresh() for _ in range(rank))
