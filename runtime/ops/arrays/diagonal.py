"""Operators on diagonals, and conversions between coordinates and indices into a flattened tensor."""

from __future__ import annotations

from math import prod
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.type_rules import require_equal, require_rank


def _diagonal_length(rows: DimLike, columns: DimLike, k: int) -> DimLike:
    """Return the length of the k-th diagonal of a matrix, 0 beside its corner. Raises InferError farther away."""
    if not isinstance(rows, int) or not isinstance(columns, int):
        return rows if k == 0 and rows == columns else Dim.fresh()
    length = min(rows + min(k, 0), columns - max(k, 0))
    if length < 0:
        raise InferError("k", f"({rows}, {columns}) has no diagonal {k}")
    return length


def _infer_diag(data: TensorType, *, k: int, axis1: int, axis2: int) -> TensorType:
    if data.shape is None:
        return data
    if len(data.shape) == 1:
        size = data.shape[0] + abs(k)
        return data.with_shape((size, size))
    first, second = (normal_axis(a, len(data.shape), n) for a, n in ((axis1, "axis1"), (axis2, "axis2")))
    if first == second:
        raise InferError("axis2", "a diagonal needs two axes")
    rest = tuple(n for i, n in enumerate(data.shape) if i not in {first, second})
    return data.with_shape((*rest, _diagonal_length(data.shape[first], data.shape[second], k)))


@op(
    infer=_infer_diag,
    grad=lambda F, g, ins, outs, **params: (F._hl_diag_grad(g, ins[0], **params),),
    facts=Facts(numpy_names=("diag",)),
    samples=[
        sample((3, 3), k=1),
        sample((3,), k=-1),
        sample((2, 3, 4)),
        sample((2, 3, 4), k=-1, axis1=1, axis2=2),
    ],
    method="diag",
)
def diag(xp: Any, data: Any, /, *, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the k-th diagonal of two axes as last axis; for a vector, the matrix with that diagonal."""
    return xp.diag(data, k) if data.ndim == 1 else xp.diagonal(data, k, axis1, axis2)


@op(infer=lambda g, data: data, samples=[sample((2,), (3, 3), k=1)])
def _hl_diag_grad(xp: Any, g: Any, data: Any, /, *, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the gradient with respect to diag's data: `g` on the diagonal among zeros, or the diagonal of `g`."""
    if data.ndim == 1:
        return xp.diagonal(g, k)
    into = xp.zeros_like(data)
    places = xp.arange(g.shape[-1])
    planes = xp.moveaxis(into, (axis1, axis2), (-2, -1))
    planes[..., places + max(-k, 0), places + max(k, 0)] = g
    return into


def _required(shape: Ints | None) -> Ints:
    if shape is None:
        raise InferError("shape", "expected a shape")
    return shape


def _infer_ravel(data: TensorType, *, shape: Ints | None) -> TensorType:
    require_rank(data, [2])
    if data.shape is not None:
        require_equal(len(_required(shape)), data.shape[0], "data", "rows of indices")
    return data.with_shape((Dim.fresh() if data.shape is None else data.shape[1],))


@op(
    aliases=("ravel_multi_index",),
    infer=_infer_ravel,
    grad=zero_gradient,
    samples=[sample((2, 3), shape=(3, 4), low=0.0, high=2.0, dtypes=("int32",))],
)
def _ravel_multi_index(xp: Any, data: Any, /, *, shape: Ints | None = None) -> Any:
    """Return the indices (N,) into a flattened tensor of shape `shape`, from coordinates (dimensions, N)."""
    sizes = _required(shape)
    steps = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    return sum(data[k] * step for k, step in enumerate(steps)).astype(data.dtype, copy=False)


def _infer_unravel(data: TensorType, *, shape: Ints | None) -> TensorType:
    require_rank(data, [1])
    return data.with_shape((len(_required(shape)), Dim.fresh() if data.shape is None else data.shape[0]))


@op(
    aliases=("unravel_index",),
    infer=_infer_unravel,
    grad=zero_gradient,
    samples=[
        sample((3,), shape=(3, 4), low=0.0, high=11.0, dtypes=("int32",)),
        sample((6,), shape=(2, 3, 4), low=-30.0, high=60.0, dtypes=("int32",)),
        sample((4,), shape=(2147483647, 5), low=0.0, high=60.0, dtypes=("int32",)),
    ],
)
def _unravel_index(xp: Any, data: Any, /, *, shape: Ints | None = None) -> Any:
    """Return the coordinates (dimensions, N) of indices (N,) into a flattened tensor of shape `shape`.

    The first size of the shape is not checked: larger indices give larger first coordinates. Negative indices give
    negative coordinates.
    """
    left = data.astype("int64")
    rows = []
    for size in reversed(_required(shape)[1:]):
        whole = xp.sign(left) * (xp.abs(left) // abs(size)) * (1 if size > 0 else -1)
        rows.append(left - whole * size)
        left = whole
    return xp.stack([left, *reversed(rows)]).astype(data.dtype)
