"""Sums over arrays in sparse storage, without the zeros between the elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import Csr, Fallback, RowSparse, Sparse, Storage
from hybridlint.runtime.ops.storage.conversion import rows_of


def _axis(params: Mapping[str, Any]) -> int | None:
    axis = params["axis"]
    found = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _infer_sum(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    plain = _axis(params) in {0, 1} and not params["keepdims"] and not params["exclude"]
    return "default" if stypes[0] == "csr" and plain else Fallback()


def _sum(kernel: Callable[..., Any], xp: Any, data: Csr, **params: Any) -> Any:
    axis = _axis(params)
    count = int(data.indptr[-1])
    places = rows_of(xp, data) if axis == 1 else data.indices[:count]
    result = xp.zeros(data.shape[1 - (axis or 0)], data.dtype)
    xp.add.at(result, places, data.data[:count])
    return result


def _mean(kernel: Callable[..., Any], xp: Any, data: Csr, **params: Any) -> Any:
    return (_sum(kernel, xp, data, **params) / data.shape[_axis(params) or 0]).astype(data.dtype)


SUM = Storage(_infer_sum, _sum)
MEAN = Storage(_infer_sum, _mean)


def _infer_norm(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    every = params["axis"] is None or params["axis"] == ()
    along = stypes[0] == "csr" and _axis(params) in {0, 1} and not params["keepdims"]
    return "default" if params["ord"] == 2 and params["out_dtype"] is None and (every or along) else Fallback()


def _norm(kernel: Callable[..., Any], xp: Any, data: Sparse, *, axis: Any, keepdims: bool, **params: Any) -> Any:
    squares = data.with_data(xp.square(data.data))
    if _axis({"axis": axis}) is not None:
        assert isinstance(squares, Csr)
        return xp.sqrt(_sum(kernel, xp, squares, axis=axis))
    kept = squares.data if isinstance(squares, RowSparse) else squares.data[: int(squares.indptr[-1])]
    return xp.asarray(math.sqrt(float(kept.sum()))).astype(data.dtype).reshape((1,) * (len(data.shape) * keepdims or 1))


NORM = Storage(_infer_norm, _norm)


def _infer_count(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if stypes[0] != "csr":
        raise ValueError(f"_contrib_getnnz is not implemented for storage type {stypes[0]}")
    return "default"


def _count(kernel: Callable[..., Any], xp: Any, data: Csr, *, axis: int | None) -> Any:
    if axis is None:
        return xp.asarray([int(data.indptr[-1])])
    if axis == 1:
        return xp.diff(data.indptr)
    raise ValueError("getnnz along axis 0 is not supported")


COUNT = Storage(_infer_count, _count, from_dense=True, only=True)


def _infer_square_sum(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if stypes[0] != "row_sparse":
        raise ValueError(f"_square_sum is not implemented for storage type {stypes[0]}")
    return "row_sparse" if _axis(params) == 1 and params["keepdims"] else "default"


def _square_sum(
    kernel: Callable[..., Any], xp: Any, data: RowSparse, *, axis: Any, keepdims: bool, exclude: bool
) -> Any:
    squares = xp.square(data.data)
    if _axis({"axis": axis}) == 1:
        sums = squares.sum(axis=1, keepdims=True)
        if keepdims:
            return RowSparse((data.shape[0], 1), sums, data.indices)
        result = xp.zeros(data.shape[0], data.dtype)
        result[data.indices] = sums[:, 0]
        return result
    return squares.sum(axis=0, keepdims=keepdims)


SQUARE_SUM = Storage(_infer_square_sum, _square_sum, from_dense=True, only=True)
