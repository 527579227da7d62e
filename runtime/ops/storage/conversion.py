"""Arrays from one storage to another."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.storage import Csr, RowSparse


def dense(xp: Any, value: Any) -> Any:
    """Return a value as an array that stores all of its elements."""
    if isinstance(value, Csr):
        result = xp.zeros(value.shape, value.dtype)
        count = int(value.indptr[-1])
        # Elements that are stored twice add up.
        xp.add.at(result, (rows_of(xp, value), value.indices[:count]), value.data[:count])
        return result
    if isinstance(value, RowSparse):
        result = xp.zeros(value.shape, value.dtype)
        # As on MXNet, rows beyond the end are stored and never seen.
        seen = value.indices < value.shape[0]
        result[value.indices[seen]] = value.data[seen]
        return result
    return value


def stored(xp: Any, value: Any, stype: str) -> Any:
    """Return a value in a storage type. Raises ValueError for a csr array that is no matrix."""
    if stype == getattr(value, "stype", "default"):
        return value
    full = dense(xp, value)
    if stype == "default":
        return full
    return csr(xp, full) if stype == "csr" else row_sparse(xp, full)


def csr(xp: Any, array: Any) -> Csr:
    """Return a matrix in compressed rows, without its zeros. Raises ValueError for another number of dimensions."""
    if array.ndim != 2:
        raise ValueError(f"an array of shape {array.shape} is no matrix, so that it cannot be stored in csr")
    # Places in one dimension are found ten times as fast as in two.
    places = xp.flatnonzero(array != 0)
    rows, columns = xp.divmod(places, max(array.shape[1], 1))
    return Csr(array.shape, array.reshape(-1)[places], columns.astype("int64"), starts(xp, rows, array.shape[0]))


def row_sparse(xp: Any, array: Any) -> RowSparse:
    """Return an array with the rows that are not zero. Raises ValueError for an array without dimensions."""
    if array.ndim == 0:
        raise ValueError("an array without dimensions has no rows")
    (rows,) = xp.nonzero((array != 0).reshape(array.shape[0], -1).any(axis=1))
    return RowSparse(array.shape, array[rows], rows.astype("int64"))


def empty(xp: Any, stype: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return zeros of a storage type. Raises ValueError for a csr array that is no matrix."""
    indices = xp.zeros(0, "int64")
    if stype == "row_sparse":
        return RowSparse(shape, xp.zeros((0, *shape[1:]), dtype), indices)
    if stype == "default":
        return xp.zeros(shape, dtype)
    if len(shape) != 2:
        raise ValueError(f"an array of shape {shape} is no matrix, so that it cannot be stored in csr")
    return Csr(shape, xp.zeros(0, dtype), indices, xp.zeros(shape[0] + 1, "int64"))


def rows_of(xp: Any, matrix: Csr) -> Any:
    """Return the row of each stored element."""
    return xp.repeat(xp.arange(matrix.shape[0]), xp.diff(matrix.indptr))


def starts(xp: Any, rows: Any, count: int) -> Any:
    """Return where each row begins among elements whose rows are sorted, and where the last one ends."""
    return xp.concatenate([xp.zeros(1, "int64"), xp.cumsum(xp.bincount(rows, minlength=count))]).astype("int64")
