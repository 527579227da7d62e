"""Products of matrices of which one is stored sparsely."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import Csr, Fallback, RowSparse, Storage
from hybridlint.runtime.ops.storage.conversion import dense, rows_of

#: So many products are held at once.
_AT_ONCE = 1 << 23
#: Rows that hold at least so many elements on average are multiplied by the library's product, one after the other.
_LONG_ROWS = 16


def _infer_dot(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    left, right = stypes
    wanted = params["forward_stype"]
    turned, other = params["transpose_a"], params["transpose_b"]
    if left == "csr" and right in {"default", "row_sparse"} and not other:
        usual = "row_sparse" if turned else "default"
        if wanted in {None, usual} or (turned and wanted == "default"):
            return wanted or usual
    if stypes == ("default", "csr") and not turned:
        if wanted in {None, "csr"}:
            return Fallback("csr") if other else "csr"
        if wanted == "default":
            return "default"
    return Fallback(wanted or "default")


def _dot(
    kernel: Callable[..., Any],
    xp: Any,
    lhs: Any,
    rhs: Any,
    *,
    transpose_a: bool,
    transpose_b: bool,
    forward_stype: str | None,
) -> Any:
    if isinstance(rhs, Csr):
        # The product turned around has the matrix in compressed rows on the left.
        turned = times(xp, rhs, lhs.T) if transpose_b else dense(xp, turned_times(xp, rhs, lhs.T))
        return turned.T if forward_stype == "default" else _full_columns(xp, turned.T, rhs)
    if len(rhs.shape) != 2:
        raise ValueError(f"sparse dot only supports 2 dimensional rhs, got {len(rhs.shape)}")
    if not transpose_a:
        return times(xp, lhs, dense(xp, rhs))
    if forward_stype == "default" and isinstance(rhs, RowSparse):
        raise ValueError("dot(csr.T, rsp) = dns is not there")
    product = turned_times(xp, lhs, dense(xp, rhs))
    return dense(xp, product) if forward_stype == "default" else product


def times(xp: Any, matrix: Csr, other: Any) -> Any:
    """Return a matrix in compressed rows times a dense one, as a dense one."""
    result = xp.zeros((matrix.shape[0], other.shape[1]), xp.result_type(matrix.dtype, other.dtype))
    (rows,) = xp.nonzero(xp.diff(matrix.indptr))
    _sum_products(xp, result, rows, matrix.indptr, matrix.data, matrix.indices, other)
    return result


def turned_times(xp: Any, matrix: Csr, other: Any) -> RowSparse:
    """Return a transposed matrix in compressed rows times a dense one: rows for the columns that hold something."""
    count = int(matrix.indptr[-1])
    order = xp.argsort(matrix.indices[:count], kind="stable")
    columns, begins = xp.unique(matrix.indices[:count][order], return_index=True)
    rows = rows_of(xp, matrix)[order]
    result = xp.zeros((len(columns), other.shape[1]), xp.result_type(matrix.dtype, other.dtype))
    bounds = xp.concatenate([begins, xp.asarray([count])])
    _sum_products(xp, result, xp.arange(len(columns)), bounds, matrix.data[order], rows, other)
    return RowSparse((matrix.shape[1], other.shape[1]), result, columns)


def _sum_products(xp: Any, result: Any, rows: Any, bounds: Any, values: Any, places: Any, other: Any) -> None:
    """Add up ``values * other[places]`` between bounds, in pieces, into those rows of the result."""
    if len(values) >= _LONG_ROWS * len(rows) and values.dtype == other.dtype and values.dtype.kind == "f":
        for row in rows.tolist():
            part = slice(int(bounds[row]), int(bounds[row + 1]))
            xp.matmul(values[part], other[places[part]], out=result[row])
        return
    width = max(_AT_ONCE // max(other.shape[1], 1), 1)
    at = 0
    while at < len(rows):
        first = int(bounds[rows[at]])
        end = max(int(xp.searchsorted(bounds[rows + 1], first + width, side="right")), at + 1)
        last = int(bounds[rows[end - 1] + 1])
        products = values[first:last, None] * other[places[first:last]]
        result[rows[at:end]] = xp.add.reduceat(products, bounds[rows[at:end]] - first, axis=0)
        at = end


def _full_columns(xp: Any, product: Any, rhs: Csr) -> Csr:
    """Return a product with the matrix's columns that hold something, each stored in full."""
    columns = xp.unique(rhs.indices[: int(rhs.indptr[-1])])
    rows = product.shape[0]
    indptr = xp.arange(rows + 1) * len(columns)
    return Csr(product.shape, product[:, columns].reshape(-1), xp.tile(columns, rows), indptr)


DOT = Storage(_infer_dot, _dot, from_dense=True)


def _infer_grad(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if stypes[1] != "csr" or params["of"] != 1 or params["transpose_b"]:
        return Fallback()
    return "default" if params["transpose_a"] else "row_sparse"


def _grad(
    kernel: Callable[..., Any], xp: Any, g: Any, other: Csr, like: Any, *, transpose_a: bool, **params: Any
) -> Any:
    return times(xp, other, dense(xp, g)) if transpose_a else turned_times(xp, other, dense(xp, g))


#: The gradient of the right operand beside a matrix in compressed rows.
DOT_GRAD = Storage(_infer_grad, _grad)
