"""Products of matrices of which one is stored sparsely."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import Csr, Fallback, RowSparse, Storage
from hybridlint.runtime.ops.blocks import blocks, rows_at_once
from hybridlint.runtime.ops.storage.conversion import dense, rows_of

#: A dense matrix of at most so many columns is multiplied column by column.
_NARROW = 4
#: Rows that are multiplied by themselves in the time of one step of all rows.
_ROWS_A_STEP = 4


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
    if forward_stype == "default" and isinstance(rhs, RowSparse) and len(rhs.indices) < rhs.shape[0]:
        raise ValueError("dot(csr.T, rsp) = dns is not there, unless all rows are stored")
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
    # A stable sort of 16 bits counts instead of comparing.
    short = "uint16" if matrix.shape[1] <= 1 << 16 else matrix.indices.dtype
    order = xp.argsort(matrix.indices[:count].astype(short), kind="stable")
    columns, begins = xp.unique(matrix.indices[:count][order], return_index=True)
    rows = rows_of(xp, matrix)[order]
    result = xp.zeros((len(columns), other.shape[1]), xp.result_type(matrix.dtype, other.dtype))
    bounds = xp.concatenate([begins, xp.asarray([count])])
    _sum_products(xp, result, xp.arange(len(columns)), bounds, matrix.data[order], rows, other)
    return RowSparse((matrix.shape[1], other.shape[1]), result, columns)


def _sum_products(xp: Any, result: Any, rows: Any, bounds: Any, values: Any, places: Any, other: Any) -> None:
    """Add up ``values * other[places]`` between bounds, none of which are empty, into those rows of the result."""
    if not len(rows):
        return
    begins, ends = bounds[rows], bounds[rows + 1]
    if other.shape[1] <= _NARROW:
        end = int(ends[-1])
        for column in range(other.shape[1]):
            products = values[:end] * xp.take(other[:, column], places[:end])
            result[rows, column] = xp.add.reduceat(products, begins)
        return
    lengths = ends - begins
    order = xp.argsort(-lengths, kind="stable")
    lengths = lengths[order]
    # A step of all other rows costs as much as so many rows by themselves.
    long = int(xp.count_nonzero(lengths * _ROWS_A_STEP > xp.arange(len(lengths))))
    alone = order[:long]
    for row, begin, end in zip(rows[alone].tolist(), begins[alone].tolist(), ends[alone].tolist(), strict=True):
        xp.matmul(values[begin:end], other.take(places[begin:end], axis=0), out=result[row])
    if long < len(order):
        _add_steps(xp, result, rows[order[long:]], begins[order[long:]], lengths[long:], values, places, other)


def _add_steps(
    xp: Any, result: Any, rows: Any, begins: Any, lengths: Any, values: Any, places: Any, other: Any
) -> None:
    """Store the sums of rows, the longest ones first: the first products of all rows, then the second ones, and so on.

    Rows are taken in pieces that stay near the processor.
    """
    most = rows_at_once(len(rows), other.shape[1])
    total, room = (xp.empty((most, other.shape[1]), result.dtype) for _ in range(2))
    for piece in blocks(len(rows), most):
        first, each = begins[piece], lengths[piece]
        for step in range(int(each[0])):
            at = first[: int(xp.count_nonzero(each > step))] + step
            into = (room if step else total)[: len(at)]
            xp.multiply(other.take(places.take(at), axis=0), values.take(at)[:, None], out=into)
            if step:
                total[: len(at)] += into
        result[rows[piece]] = total[: len(first)]


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
