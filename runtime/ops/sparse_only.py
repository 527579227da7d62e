"""Operators that MXNet has for sparse storage only. On dense arrays, as in compiled graphs, they do the same."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Refusal, op, sample
from hybridlint.runtime.facts.types import Axes, InferError, TensorType
from hybridlint.runtime.ops.arrays.broadcasting import reduced_axes
from hybridlint.runtime.ops.arrays.reduction import reduced_shape
from hybridlint.runtime.ops.storage.reductions import COUNT, SQUARE_SUM
from hybridlint.runtime.ops.storage.structure import KEPT_ROWS, RETAIN


@op(
    infer=lambda data, indices: data,
    grad=lambda F, g, ins, outs: (F._hl_kept_rows(g, ins[1]), Refusal("retain gives its indices no gradient")),
    samples=[sample((4, 3), (2,), low=0.0, high=3.0, dtypes=("float32", "int64"))],
    storage=RETAIN,
)
def _sparse_retain(xp: Any, data: Any, indices: Any, /) -> Any:
    """Return the array with the rows of these numbers, and zeros elsewhere."""
    return _hl_kept_rows(xp, data, indices)


@op(
    infer=lambda data, indices: data,
    grad=lambda F, g, ins, outs: (F._hl_kept_rows(g, ins[1]), None),
    samples=[sample((4, 3), (2,), low=0.0, high=3.0, dtypes=("float32", "int64"))],
    storage=KEPT_ROWS,
)
def _hl_kept_rows(xp: Any, data: Any, indices: Any, /) -> Any:
    """Return the array with the rows of these numbers, and zeros elsewhere, in whatever storage."""
    result = xp.zeros_like(data)
    rows = indices.astype("int64").reshape(-1)
    result[rows] = data[rows]
    return result


def _infer_square_sum(data: TensorType, *, axis: Axes, keepdims: bool, exclude: bool) -> TensorType:
    if data.shape is None:
        return data
    return data.with_shape(reduced_shape(data.shape, reduced_axes(axis, exclude, len(data.shape)), keepdims))


@op(
    infer=_infer_square_sum,
    grad=lambda F, g, ins, outs, *, axis, exclude: (F._hl_spread(g, ins[0], axis=axis, exclude=exclude) * ins[0] * 2,),
    samples=[sample((2, 3), axis=1), sample((2, 3), axis=0), sample((2, 3), axis=1, keepdims=True)],
    storage=SQUARE_SUM,
)
def _square_sum(xp: Any, data: Any, /, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Any:
    """Return the sum of the squares along an axis."""
    axes = reduced_axes(axis, exclude, data.ndim)
    return xp.square(data).sum(axis=axes).reshape(reduced_shape(data.shape, axes, keepdims))


def _infer_count(data: TensorType, *, axis: int | None) -> TensorType:
    if axis is None or data.shape is None:
        return TensorType((1,) if axis is None else None, "int64")
    if normal_axis(axis, len(data.shape)) != 1:
        raise InferError("axis", "numbers of elements are counted in all of a matrix, or along axis 1")
    return TensorType(data.shape[:1], "int64")


@op(
    name="_contrib_getnnz",
    infer=_infer_count,
    samples=[sample((3, 4)), sample((3, 4), axis=1)],
    storage=COUNT,
)
def count_stored(xp: Any, data: Any, /, *, axis: int | None = None) -> Any:
    """Return how many elements a csr array stores, in all or in each row."""
    found = data != 0
    return found.sum(dtype="int64").reshape(1) if axis is None else found.sum(axis=1, dtype="int64")
