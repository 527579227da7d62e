"""Random arrays in sparse storage for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.context import Context
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.ndarray.sparse import CSRNDArray, csr_matrix, row_sparse_array
from hybridlint.runtime.test_utils.tolerance import default_dtype


def rand_sparse_ndarray(
    shape: Sequence[int],
    stype: str,
    density: float | None = None,
    dtype: Any = None,
    distribution: str | None = None,
    data_init: Any = None,
    rsp_indices: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
    ctx: Context | None = None,
) -> tuple[Any, tuple[Any, ...]]:
    """Return a random array in sparse storage, and what it stores.

    A csr array stores about a share `density` of its elements, spread by a `distribution`, "uniform" or "powerlaw"; a
    row_sparse one such a share of its rows, or the rows `rsp_indices`. Raises AssertionError for anything else.
    """
    share = np.random.rand() if density is None else density
    kind = default_dtype() if dtype is None else dtype
    spread = "uniform" if distribution is None else distribution
    if stype == "row_sparse":
        if spread != "uniform":
            raise AssertionError(f"Distribution {spread} not supported for row_sparse")
        rows = np.asarray(rsp_indices) if rsp_indices is not None else np.flatnonzero(np.random.rand(shape[0]) < share)
        return _rows(tuple(shape), rows, kind, data_init, modifier_func, ctx)
    if stype != "csr":
        raise AssertionError("unknown storage type")
    if len(shape) != 2:
        raise AssertionError("csr arrays are matrices")
    if spread == "uniform":
        matrix = _get_uniform_dataset_csr(shape[0], shape[1], share, kind, data_init, shuffle_csr_indices)
    elif spread == "powerlaw":
        matrix = _get_powerlaw_dataset_csr(shape[0], shape[1], share, kind)
    else:
        raise AssertionError(f"Distribution not supported: {spread}")
    return matrix, (matrix.indptr, matrix.indices, matrix.data)


def _rows(
    shape: tuple[int, ...],
    rows: Any,
    dtype: Any,
    data_init: Any,
    modifier: Callable[[Any], Any] | None,
    ctx: Context | None,
) -> tuple[Any, tuple[Any, ...]]:
    values = np.random.rand(len(rows), *shape[1:]).astype(dtype)
    if data_init is not None:
        values.fill(data_init)
    if modifier is not None:
        values = np.array([modifier(x) for x in values.ravel()], dtype).reshape(values.shape)
    return row_sparse_array((values, rows.astype("int64")), shape, ctx, dtype), (values, rows.astype("int64"))


def create_sparse_array(
    shape: Sequence[int],
    stype: str,
    data_init: Any = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    density: float = 0.5,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """Return a random array in sparse storage, with rows `rsp_indices` of a row_sparse one. Raises AssertionError."""
    rows = None
    if stype == "row_sparse" and rsp_indices is not None:
        rows = np.asarray(rsp_indices)
        if len(rows) > shape[0]:
            raise AssertionError("more rows are asked for than there are")
    array, _ = rand_sparse_ndarray(
        shape,
        stype,
        density=density,
        dtype=dtype,
        data_init=data_init,
        rsp_indices=rows,
        modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices,
    )
    return array  # type: ignore[no-any-return]


def create_sparse_array_zd(
    shape: Sequence[int],
    stype: str,
    density: float,
    data_init: Any = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """Return a random array in sparse storage; with a `density` of 0, rows that are asked for are left out."""
    if stype == "row_sparse" and density == 0:
        rsp_indices = np.zeros(0, "int64")
    return create_sparse_array(shape, stype, data_init, rsp_indices, dtype, modifier_func, density, shuffle_csr_indices)


def shuffle_csr_column_indices(csr: Any) -> None:
    """Shuffle the columns of each row of a matrix of scipy in place, apart from their values."""
    for first, last in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
        order = np.arange(first, last)
        np.random.shuffle(order)
        csr.indices[first:last] = csr.indices[order]


def _validate_csr_generation_inputs(
    num_rows: int, num_cols: int, density: float, distribution: str = "uniform"
) -> None:
    total = int(num_rows * num_cols * density)
    if density < 0 or density > 1:
        raise ValueError("density has to be between 0 and 1")
    if num_rows <= 0 or num_cols <= 0:
        raise ValueError("num_rows or num_cols should be greater than 0")
    if distribution == "powerlaw" and total < 2 * num_rows:
        raise ValueError(
            f"not supported for this density: {density} for this shape ({num_rows}, {num_cols}) Please keep : "
            "num_rows * num_cols * density >= 2 * num_rows"
        )


def _get_uniform_dataset_csr(
    num_rows: int,
    num_cols: int,
    density: float = 0.1,
    dtype: Any = None,
    data_init: Any = None,
    shuffle_csr_indices: bool = False,
) -> CSRNDArray:
    _validate_csr_generation_inputs(num_rows, num_cols, density)
    kept = np.random.rand(num_rows, num_cols) < density
    rows, columns = np.nonzero(kept)
    values = np.random.rand(len(rows)) if data_init is None else np.full(len(rows), data_init)
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    matrix = csr_matrix((values, columns, indptr), (num_rows, num_cols), dtype=dtype or default_dtype())
    if shuffle_csr_indices:
        shuffle_csr_column_indices(matrix._held)
    return matrix


def _get_powerlaw_dataset_csr(num_rows: int, num_cols: int, density: float = 0.1, dtype: Any = None) -> CSRNDArray:
    """Return a matrix whose rows hold 2, 4, 8 and so on elements, up to the number that `density` gives."""
    _validate_csr_generation_inputs(num_rows, num_cols, density, "powerlaw")
    left = int(num_rows * num_cols * density) - num_rows
    result = np.zeros((num_rows, num_cols), dtype or default_dtype())
    result[:, 0] = 1 + np.random.rand(num_rows)
    most = 2
    for row in result:
        count = max(min(most, num_cols) - 1, 0)
        count = min(count, left)
        row[1 : 1 + count] = 1 + np.random.rand(count)
        left -= count
        most *= 2
    return csr_matrix(result, dtype=dtype or default_dtype())
