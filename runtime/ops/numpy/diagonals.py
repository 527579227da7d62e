"""Operators of numpy mode on triangles and diagonals."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import Dim, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType


@op(
    infer=lambda data, /, *, k: _infer_triangle(data),
    grad=lambda F, g, ins, outs, *, k: (F._hl_sum_to(F._npi_tril(g, k=k), ins[0]),),
    samples=[sample((3, 3)), sample((2, 3, 4), k=1), sample((3, 2), k=-1), sample((3,), k=1)],
    facts=Facts(numpy_names=("tril",)),
)
def _npi_tril(xp: Any, data: Any, /, *, k: int = 0) -> Any:
    """Return the lower triangle of the last two dimensions, 0 elsewhere; a vector is first repeated as rows."""
    return xp.tril(data, k)


def _infer_triangle(data: TensorType) -> TensorType:
    if data.shape is not None and len(data.shape) == 1:
        return data.with_shape((data.shape[0], data.shape[0]))
    return data


def _diagonal_shape(shape: Shape, offset: int, axis1: int, axis2: int) -> Shape:
    first, second = normal_axis(axis1, len(shape), "axis1"), normal_axis(axis2, len(shape), "axis2")
    rows, columns = shape[first], shape[second]
    rest = tuple(d for k, d in enumerate(shape) if k not in {first, second})
    if isinstance(rows, int) and isinstance(columns, int):
        return (*rest, max(min(rows + min(offset, 0), columns - max(offset, 0)), 0))
    return (*rest, Dim.fresh())


def _infer_diagonal(data: TensorType, /, *, offset: int, axis1: int, axis2: int) -> TensorType:
    return data.with_shape(None if data.shape is None else _diagonal_shape(data.shape, offset, axis1, axis2))


_DIAGONALS = [sample((3, 3)), sample((2, 3), offset=1), sample((2, 3, 3), axis1=1, axis2=2)]


@op(
    infer=_infer_diagonal,
    grad=lambda F, g, ins, outs, **where: (F._hl_from_diagonal(g, ins[0], **where),),
    samples=_DIAGONALS,
    facts=Facts(numpy_names=("diagonal",)),
)
def _np_diagonal(xp: Any, data: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonal of two axes, as the last dimension."""
    return xp.diagonal(data, offset, axis1, axis2)


@op(
    infer=lambda data, like, /: data.with_shape(like.shape),
    grad=lambda F, g, ins, outs, **where: (F._np_diagonal(g, **where), None),
    samples=[sample((3,), (3, 3)), sample((2,), (2, 3), offset=1)],
)
def _hl_from_diagonal(xp: Any, data: Any, like: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return zeros of the shape of `like` with a diagonal set to `data`: the gradient of diagonal."""
    result = xp.zeros(like.shape, data.dtype)
    view = xp.moveaxis(result, (axis1, axis2), (-2, -1))
    rows = xp.arange(data.shape[-1]) + max(-offset, 0)
    view[..., rows, rows + offset] = data
    return result


@op(
    infer=lambda data, /, *, offset, axis1, axis2: data.with_shape(
        None if data.shape is None else _diagonal_shape(data.shape, offset, axis1, axis2)[:-1]
    ),
    grad=lambda F, g, ins, outs, **where: (F._hl_from_trace(g, ins[0], **where),),
    samples=_DIAGONALS,
    facts=Facts(numpy_names=("trace",)),
)
def _np_trace(xp: Any, data: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sum of the diagonal of two axes."""
    return xp.asarray(xp.trace(data, offset, axis1, axis2)).astype(data.dtype, copy=False)


@op(
    infer=lambda data, like, /: data.with_shape(like.shape),
    grad=lambda F, g, ins, outs, **where: (F._np_trace(g, **where), None),
    samples=[sample((), (3, 3)), sample((2,), (2, 3, 3), axis1=1, axis2=2)],
)
def _hl_from_trace(xp: Any, data: Any, like: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return zeros of the shape of `like` with a diagonal set to one number: the gradient of trace."""
    result = xp.zeros(like.shape, data.dtype)
    view = xp.moveaxis(result, (axis1, axis2), (-2, -1))
    size = xp.diagonal(like, offset, axis1, axis2).shape[-1]
    rows = xp.arange(size) + max(-offset, 0)
    view[..., rows, rows + offset] = data[..., None]
    return result


def _infer_diag(data: TensorType, /, *, k: int) -> TensorType:
    if data.shape is None:
        return data
    if len(data.shape) == 1:
        size = data.shape[0] + abs(k)
        return data.with_shape((size, size))
    if len(data.shape) != 2:
        raise InferError("data", f"expected 1 or 2 dimensions, got {len(data.shape)}")
    return data.with_shape(_diagonal_shape(data.shape, k, 0, 1))


@op(
    infer=_infer_diag,
    grad=lambda F, g, ins, outs, *, k: (
        F._np_diag(g, k=k) if len(ins[0].shape) == 1 else F._hl_from_diagonal(g, ins[0], offset=k),
    ),
    samples=[sample((3,)), sample((3,), k=1), sample((2, 3)), sample((3, 3), k=-1)],
    facts=Facts(numpy_names=("diag",)),
)
def _np_diag(xp: Any, data: Any, /, *, k: int = 0) -> Any:
    """Return the diagonal of a matrix, or a matrix with a vector on its diagonal."""
    return xp.diag(data, k)


def _infer_diagflat(data: TensorType, /, *, k: int) -> TensorType:
    if data.shape is None:
        return data
    size = product(data.shape) + abs(k)
    return data.with_shape((size, size))


@op(
    infer=_infer_diagflat,
    grad=lambda F, g, ins, outs, *, k: (F.reshape_like(F._np_diag(g, k=k), ins[0]),),
    samples=[sample((2, 2)), sample((3,), k=-1)],
    facts=Facts(numpy_names=("diagflat",)),
)
def _np_diagflat(xp: Any, data: Any, /, *, k: int = 0) -> Any:
    """Return a matrix with all elements on its diagonal."""
    return xp.diagflat(data, k)
