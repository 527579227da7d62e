"""Checks that the arrays of a sparse array form a valid one."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.storage import Csr, RowSparse, Sparse


def check(held: Sparse, *, full: bool) -> None:
    """Raise MXNetError for sizes that do not fit; with `full` also for indices out of range or order."""
    if isinstance(held, Csr):
        _check_csr(held, full=full)
    else:
        _check_rows(held, full=full)


def check_places(held: Sparse) -> None:
    """Raise MXNetError for sizes that do not fit and for places outside of the array, in whatever order they are."""
    check(held, full=False)
    if isinstance(held, Csr):
        _check_starts(held)
        if _out_of_range(held.indices, held.shape[1]):
            raise MXNetError("a column of this csr NDArray is outside of its shape")
    elif np.any(held.indices < 0):
        raise MXNetError("a row of this row_sparse NDArray is negative")


def _check_csr(held: Csr, *, full: bool) -> None:
    if len(held.shape) != 2:
        raise MXNetError("Shape mismatch of this csr NDArray")
    rows, columns = held.shape
    if held.indptr.shape != (rows + 1,) or held.indices.ndim != 1 or held.data.shape != held.indices.shape:
        raise MXNetError("Shape mismatch of this csr NDArray")
    if not full:
        return
    _check_starts(held)
    inner = np.ones(max(len(held.indices) - 1, 0), bool)
    begins = held.indptr[1:-1]
    inner[begins[(begins > 0) & (begins < len(held.indices))] - 1] = False
    if _out_of_range(held.indices, columns) or np.any(np.diff(held.indices)[inner] <= 0):
        raise MXNetError(
            "Indices of csr NDArray should be non-negative, in ascending order per row  and less than the number of "
            "columns."
        )


def _check_starts(held: Csr) -> None:
    if held.indptr[0] != 0 or held.indptr[-1] > len(held.indices) or np.any(np.diff(held.indptr) < 0):
        raise MXNetError(
            "IndPtr of csr NDArray should be non-negative, in non-decreasing order, start with 0, and end with value "
            "equal with size of indices."
        )


def _check_rows(held: RowSparse, *, full: bool) -> None:
    if not held.shape or held.indices.ndim != 1 or held.data.shape != (len(held.indices), *held.shape[1:]):
        raise MXNetError("Shape mismatch of this row_sparse NDArray")
    if full and (_out_of_range(held.indices, held.shape[0]) or np.any(np.diff(held.indices) <= 0)):
        raise MXNetError(
            "Indices of row_sparse NDArray should be non-negative, less than the size of first dimension and in "
            "ascending order"
        )


def _out_of_range(indices: Any, size: int) -> bool:
    return bool(np.any(indices < 0) or np.any(indices >= size))
