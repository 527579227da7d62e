"""Sparse arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from api_calls.table import case, integers, normal

if TYPE_CHECKING:
    from api_calls.table import Call


def _csr(mx: Any, rows: int, columns: int, density: float) -> Any:
    draw = np.random.RandomState(0)
    dense = draw.normal(size=(rows, columns)) * (draw.uniform(size=(rows, columns)) < density)
    return mx.nd.array(dense.astype(np.float32)).tostype("csr")


@case("sparse/dot-csr-dense")
def _csr_dot(mx: Any) -> Call:
    x, y = _csr(mx, 256, 10000, 0.01), normal(mx, 10000, 64)
    return lambda: mx.nd.dot(x, y)


@case("sparse/dot-csr-vector")
def _csr_vector(mx: Any) -> Call:
    x, y = _csr(mx, 256, 10000, 0.01), normal(mx, 10000, 1)
    return lambda: mx.nd.dot(x, y)


@case("sparse/dot-short-rows")
def _csr_short(mx: Any) -> Call:
    x, y = _csr(mx, 2000, 1000, 0.005), normal(mx, 1000, 32)
    return lambda: mx.nd.dot(x, y)


@case("sparse/dot-csr-transposed")
def _csr_transposed(mx: Any) -> Call:
    x, y = _csr(mx, 256, 10000, 0.01), normal(mx, 256, 64)
    return lambda: mx.nd.dot(x, y, transpose_a=True)


@case("sparse/to-csr")
def _to_csr(mx: Any) -> Call:
    x = _csr(mx, 256, 10000, 0.01).tostype("default")
    return lambda: x.tostype("csr")


@case("sparse/from-csr")
def _from_csr(mx: Any) -> Call:
    x = _csr(mx, 256, 10000, 0.01)
    return lambda: x.tostype("default")


@case("sparse/csr-slice")
def _csr_slice(mx: Any) -> Call:
    x = _csr(mx, 256, 10000, 0.01)
    return lambda: x[10:50]


@case("sparse/csr-make")
def _csr_make(mx: Any) -> Call:
    x = _csr(mx, 256, 10000, 0.01)
    parts = tuple(part.asnumpy() for part in (x.data, x.indices, x.indptr))
    return lambda: mx.nd.sparse.csr_matrix(parts, shape=(256, 10000))


@case("sparse/to-row_sparse")
def _to_rows(mx: Any) -> Call:
    x = normal(mx, 1000, 64) * (integers(mx, 10, 1000, 1) == 0)
    return lambda: x.tostype("row_sparse")


@case("sparse/retain")
def _retain(mx: Any) -> Call:
    x, rows = normal(mx, 1000, 64).tostype("row_sparse"), mx.nd.arange(0, 1000, 10)
    return lambda: mx.nd.sparse.retain(x, rows)


@case("sparse/add-row_sparse")
def _add_rows(mx: Any) -> Call:
    x = (normal(mx, 1000, 64) * (integers(mx, 10, 1000, 1) == 0)).tostype("row_sparse")
    return lambda: mx.nd.sparse.elemwise_add(x, x)
