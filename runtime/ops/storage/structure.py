"""Operators that select, join or make rows of arrays in sparse storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import DENSE, Csr, Fallback, RowSparse, Sparse, Storage, same
from hybridlint.runtime.ops.storage.conversion import dense, empty, rows_of, starts, stored


def _cast(kernel: Callable[..., Any], xp: Any, data: Any, *, stype: str) -> Any:
    found = stored(xp, data, stype)
    return found.with_data(found.data.copy()) if found is data and stype != "default" else found


def _infer_cast(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    before, after = stypes[0], str(params["stype"])
    if "default" not in (before, after) and before != after:
        raise ValueError(f"cast_storage is not implemented from {before} to {after}")
    return DENSE if before == after == "default" else after


CAST = Storage(_infer_cast, _cast, from_dense=True)


def _zeros(kernel: Callable[..., Any], xp: Any, data: Sparse, **params: Any) -> Any:
    return empty(xp, data.stype, data.shape, data.dtype)


ZEROS = Storage(same, _zeros)


def _infer_like(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if stypes[0] == stypes[1] != "default":
        return stypes[1]
    return DENSE if stypes[1] == "default" else Fallback(stypes[1])


def _first(kernel: Callable[..., Any], xp: Any, lhs: Sparse, rhs: Sparse, **params: Any) -> Any:
    return lhs


#: The left array, stored as the right one.
LIKE = Storage(_infer_like, _first)


def _infer_slice(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    plain = all(step in {None, 1} for step in params["step"])
    return "csr" if stypes[0] == "csr" and plain else Fallback()


def _slice(kernel: Callable[..., Any], xp: Any, data: Csr, *, begin: Any, end: Any, step: Any) -> Csr:
    bounds = [(0, size) for size in data.shape]
    for axis, (first, last) in enumerate(zip(begin, end, strict=True)):
        low, high, _ = slice(first, last).indices(data.shape[axis])
        if low >= high:
            raise ValueError(f"slicing with begin={first}, end={last} and size {data.shape[axis]} is invalid")
        bounds[axis] = (low, high)
    (top, bottom), (left, right) = bounds
    part = slice(int(data.indptr[top]), int(data.indptr[bottom]))
    rows = rows_of(xp, data)[part] - top
    columns, values = data.indices[part], data.data[part]
    kept = (columns >= left) & (columns < right)
    return Csr((bottom - top, right - left), values[kept], columns[kept] - left, starts(xp, rows[kept], bottom - top))


SLICE = Storage(_infer_slice, _slice)


def _infer_take(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    rows = params["axis"] == 0 and params["mode"] in {"clip", "wrap"}
    return "csr" if tuple(stypes) == ("csr", "default") and rows else Fallback()


def _take(kernel: Callable[..., Any], xp: Any, a: Csr, indices: Any, *, axis: int, mode: str) -> Csr:
    if indices.ndim != 1:
        raise ValueError(f"take of a csr array needs indices of one dimension, got {indices.ndim}")
    count = a.shape[0]
    whole = indices.astype("int64")
    rows = whole % count if mode == "wrap" else xp.clip(whole, 0, count - 1)
    return rows_at_places(xp, a, rows)


def rows_at_places(xp: Any, matrix: Csr, rows: Any) -> Csr:
    """Return these rows of a matrix, as often as they are named."""
    lengths = xp.diff(matrix.indptr)[rows]
    indptr = xp.concatenate([xp.zeros(1, "int64"), xp.cumsum(lengths)]).astype("int64")
    places = xp.arange(int(indptr[-1])) + xp.repeat(matrix.indptr[rows] - indptr[:-1], lengths)
    return Csr((len(rows), matrix.shape[1]), matrix.data[places], matrix.indices[places], indptr)


TAKE = Storage(_infer_take, _take)


def _infer_concat(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return "csr" if set(stypes) == {"csr"} and params["dim"] == 0 else Fallback()


def _concat(kernel: Callable[..., Any], xp: Any, *arrays: Csr, dim: int) -> Csr:
    counts = [int(a.indptr[-1]) for a in arrays]
    lengths = xp.concatenate([xp.diff(a.indptr) for a in arrays])
    return Csr(
        (sum(a.shape[0] for a in arrays), arrays[0].shape[1]),
        xp.concatenate([a.data[:n] for a, n in zip(arrays, counts, strict=True)]),
        xp.concatenate([a.indices[:n] for a, n in zip(arrays, counts, strict=True)]),
        xp.concatenate([xp.zeros(1, "int64"), xp.cumsum(lengths)]).astype("int64"),
    )


CONCAT = Storage(_infer_concat, _concat)


def _summed_rows(kernel: Callable[..., Any], xp: Any, g: Any, indices: Any, table: Any, **params: Any) -> RowSparse:
    """Add up the gradients of rows that were taken several times."""
    places = xp.clip(indices.astype("int64").reshape(-1), 0, table.shape[0] - 1)
    rows, inverse = xp.unique(places, return_inverse=True)
    result = xp.zeros((len(rows), *table.shape[1:]), g.dtype)
    xp.add.at(result, inverse.reshape(-1), dense(xp, g).reshape(len(places), *table.shape[1:]))
    return RowSparse(table.shape, result, rows)


#: The gradient of a table of which rows were taken: these rows.
TAKEN_ROWS = Storage(lambda stypes, params: "row_sparse", _summed_rows, from_dense=True)


def _infer_lookup(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return "default" if tuple(stypes) == ("default", "row_sparse") else Fallback()


def _looked_up(kernel: Callable[..., Any], xp: Any, data: Any, weight: RowSparse, **params: Any) -> Any:
    places = xp.clip(data.astype("int64"), 0, weight.shape[0] - 1)
    return rows_at(xp, weight, places.reshape(-1)).data.reshape(*places.shape, *weight.shape[1:])


#: Rows of a table that stores some of its rows.
LOOKUP = Storage(_infer_lookup, _looked_up)


def _infer_retain(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if tuple(stypes) != ("row_sparse", "default"):
        raise ValueError(f"_sparse_retain is not implemented for storage types {', '.join(stypes)}")
    return "row_sparse"


def _retain(kernel: Callable[..., Any], xp: Any, data: RowSparse, indices: Any) -> RowSparse:
    return rows_at(xp, data, indices.astype("int64").reshape(-1))


def _kept_rows(kernel: Callable[..., Any], xp: Any, data: Any, indices: Any) -> RowSparse:
    rows = xp.unique(indices.astype("int64"))
    if isinstance(data, RowSparse):
        return rows_at(xp, data, rows)
    return RowSparse(data.shape, data[rows], rows)


#: The chosen rows of an array in any storage, as a gradient.
KEPT_ROWS = Storage(lambda stypes, params: "row_sparse", _kept_rows, from_dense=True)


def rows_at(xp: Any, data: RowSparse, rows: Any) -> RowSparse:
    """Return the array with these rows stored, and no others; a row that was not stored is 0."""
    result = xp.zeros((len(rows), *data.data.shape[1:]), data.dtype)
    if len(data.indices):
        order = xp.argsort(data.indices, kind="stable")
        known = data.indices[order]
        at = xp.minimum(xp.searchsorted(known, rows), len(known) - 1)
        hit = known[at] == rows
        result[hit] = data.data[order[at[hit]]]
    return RowSparse(data.shape, result, rows)


RETAIN = Storage(_infer_retain, _retain, from_dense=True, only=True)
