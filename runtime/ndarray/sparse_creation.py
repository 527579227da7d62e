"""Functions that make arrays in sparse storage."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.facts.storage import Csr, RowSparse
from hybridlint.runtime.ndarray import creation
from hybridlint.runtime.ndarray.creation import is_of_scipy
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.ndarray.sparse_arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from hybridlint.runtime.ops.storage import conversion

_CLASSES = {"csr": CSRNDArray, "row_sparse": RowSparseNDArray}
_PARTS_OF_COORDINATES = 2


def zeros(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return an array of zeros in a storage type. Raises ValueError for an unknown one."""
    if stype == "default":
        return creation.zeros(shape, ctx, dtype, **kwargs)
    if stype not in _CLASSES:
        raise ValueError("unknown storage type" + stype)
    return _CLASSES[stype].zeros(shape, ctx or current_context(), dtype)


def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Return an array that stores nothing. Raises Exception for a storage type that is not sparse."""
    if stype not in _CLASSES:
        raise Exception(f"unknown stype : {stype}")
    return zeros(stype, shape, ctx, dtype)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Return a copy of a sparse array, or of a matrix of scipy. Raises AssertionError or ValueError for another."""
    if isinstance(source_array, NDArray):
        if not isinstance(source_array, BaseSparseNDArray):
            raise AssertionError("Please use `tostype` to create RowSparseNDArray or CSRNDArray from an NDArray")
        copied = source_array.astype(dtype or source_array.dtype)
        return copied._on(ctx or current_context())
    if is_of_scipy(source_array):
        return CSRNDArray.of_scipy(source_array, ctx or current_context(), dtype)
    raise ValueError("Please use mx.nd.array to create an NDArray with source_array of type ", type(source_array))


def csr_matrix(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> CSRNDArray:
    """Return a matrix in compressed rows.

    `arg1` is a shape, ``(data, indices, indptr)``, ``(data, (rows, columns))``, a csr array, a matrix of scipy, or
    anything dense. Raises ValueError for anything else, and where `shape` does not fit.
    """
    if not isinstance(arg1, tuple):
        return _cast(arg1, "csr", shape, ctx, dtype)  # type: ignore[return-value]
    if len(arg1) == _PARTS_OF_COORDINATES and not isinstance(arg1[1], (tuple, list)):
        _require_shape(arg1, shape)
        return zeros("csr", arg1, ctx, dtype)  # type: ignore[return-value]
    if len(arg1) == _PARTS_OF_COORDINATES:
        return _from_coordinates(arg1[0], arg1[1], shape, ctx, dtype)
    if len(arg1) != len(("data", "indices", "indptr")):
        raise ValueError(f"Unexpected length of input tuple: {len(arg1)}")
    data, indices, indptr = (_plain(part) for part in arg1)
    if indptr.ndim != 1 or indices.ndim != 1 or data.ndim != 1 or not len(indptr):
        raise ValueError("invalid shape")
    if shape is None:
        _require_numbers(indices)
        if not len(indices):
            raise ValueError("invalid shape")
        shape = (len(indptr) - 1, int(indices.max()) + 1)
    return _made_csr(data, indices, indptr, tuple(shape), ctx, _dtype_of(arg1[0], dtype))


def row_sparse_array(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> RowSparseNDArray:
    """Return an array of few rows.

    `arg1` is a shape, ``(data, indices)``, a row_sparse array, or anything dense. Raises ValueError for anything else,
    and where `shape` does not fit.
    """
    if not isinstance(arg1, tuple):
        return _cast(arg1, "row_sparse", shape, ctx, dtype)  # type: ignore[return-value]
    if len(arg1) < _PARTS_OF_COORDINATES:
        raise ValueError(f"Unexpected length of input tuple: {len(arg1)}")
    if all(isinstance(size, (int, np.integer)) for size in arg1):
        _require_shape(arg1, shape)
        return zeros("row_sparse", arg1, ctx, dtype)  # type: ignore[return-value]
    if len(arg1) != _PARTS_OF_COORDINATES:
        raise ValueError(f"Unexpected length of input tuple: {len(arg1)}")
    data, indices = _plain(arg1[0]), _plain(arg1[1])
    if shape is None:
        _require_numbers(indices)
        shape = (int(indices.max()) + 1 if len(indices) else 0, *data.shape[1:])
    if data.ndim != len(shape) or indices.ndim != 1 or not np.prod(data.shape[1:]):
        raise ValueError("invalid shape")
    if data.shape != (len(indices), *shape[1:]):
        raise MXNetError(f"rows of shape {data.shape} do not fit {len(indices)} indices and the shape {tuple(shape)}")
    held = RowSparse(tuple(map(int, shape)), data.astype(_dtype_of(arg1[0], dtype)), indices.astype("int64"))
    return RowSparseNDArray(held, ctx or current_context())


def _cast(source: Any, stype: str, shape: Any, ctx: Context | None, dtype: Any) -> NDArray:
    if isinstance(source, BaseSparseNDArray) and source.stype != stype:
        raise ValueError(f"Unexpected input type: {type(source).__name__}")
    if isinstance(source, BaseSparseNDArray) or is_of_scipy(source):
        found = array(source, ctx, dtype)
    else:
        # What is dense already keeps its dtype; numbers in lists become float32.
        default = source.dtype if hasattr(source, "dtype") else np.float32
        found = creation.array(source, ctx, dtype or default).tostype(stype)
    _require_shape(found.shape, shape)
    return found


def _from_coordinates(data: Any, places: Any, shape: Any, ctx: Context | None, dtype: Any) -> CSRNDArray:
    values, rows, columns = _plain(data), _plain(places[0]), _plain(places[1])
    if shape is None:
        shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    order = np.lexsort((columns, rows))
    indptr = conversion.starts(np, rows[order].astype("int64"), shape[0])
    return _made_csr(values[order], columns[order], indptr, tuple(shape), ctx, _dtype_of(data, dtype))


def _made_csr(data: Any, indices: Any, indptr: Any, shape: Any, ctx: Context | None, dtype: Any) -> CSRNDArray:
    if len(shape) != 2:
        raise ValueError("invalid shape")
    held = Csr(tuple(map(int, shape)), data.astype(dtype), indices.astype("int64"), indptr.astype("int64"))
    return CSRNDArray(held, ctx or current_context())


def _plain(part: Any) -> Any:
    return part.asnumpy() if isinstance(part, NDArray) else np.asarray(part)


def _dtype_of(source: Any, dtype: Any) -> Any:
    """Return the dtype of an array created from a source: the source's dtype, or float32 for lists."""
    if dtype is not None:
        return np.dtype(dtype)
    return np.dtype(source.dtype) if isinstance(source, (NDArray, np.ndarray)) else np.dtype(np.float32)


def _require_numbers(indices: Any) -> None:
    if indices.dtype.kind not in "iu":
        raise TypeError("array item must be integer")


def _require_shape(found: Any, wanted: Any) -> None:
    if wanted is not None and tuple(found) != tuple(wanted):
        raise ValueError(f"Shape mismatch detected. {tuple(found)} v.s. {tuple(wanted)}")
