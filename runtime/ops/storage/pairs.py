"""Element-wise operators of two arrays of which at least one is stored sparsely."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import DENSE, Csr, Fallback, RowSparse, Storage
from hybridlint.runtime.ops.storage.conversion import dense, rows_of, starts


def _of_one_kind(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return stypes[0] if len(set(stypes)) == 1 else Fallback()


def _sum(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if len(set(stypes)) == 1:
        return stypes[0]
    return DENSE if "default" in stypes else Fallback()


def _product(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    kinds = set(stypes) - {"default"}
    return kinds.pop() if len(kinds) == 1 else Fallback()


def _quotient(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return Fallback() if {"csr", "row_sparse"} <= set(stypes) or set(stypes) == {"csr"} else DENSE


def _scattered(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return "row_sparse" if stypes[0] == "row_sparse" else Fallback()


def _broadcast_sum(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return DENSE if sorted(stypes) == ["csr", "default"] else Fallback()


def _broadcast_product(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return "csr" if tuple(stypes) == ("csr", "default") else Fallback()


def _pair(kernel: Callable[..., Any], xp: Any, lhs: Any, rhs: Any, **params: Any) -> Any:
    """Compute where either operand is stored: elsewhere both are 0, and so is the result."""
    if isinstance(lhs, RowSparse):
        return _rows(kernel, xp, lhs, rhs)
    columns = lhs.shape[1]
    keys = [rows_of(xp, m) * columns + m.indices[: int(m.indptr[-1])] for m in (lhs, rhs)]
    places = xp.unique(xp.concatenate(keys))
    sides = []
    for matrix, own in zip((lhs, rhs), keys, strict=True):
        side = xp.zeros(len(places), matrix.dtype)
        xp.add.at(side, xp.searchsorted(places, own), matrix.data[: len(own)])
        sides.append(side)
    result = kernel(xp, *sides)
    kept = result != 0
    places = places[kept]
    return Csr(lhs.shape, result[kept], places % columns, starts(xp, places // columns, lhs.shape[0]))


def _rows(kernel: Callable[..., Any], xp: Any, lhs: RowSparse, rhs: RowSparse) -> RowSparse:
    rows = xp.unique(xp.concatenate([lhs.indices, rhs.indices]))
    sides = []
    for array in (lhs, rhs):
        side = xp.zeros((len(rows), *array.shape[1:]), array.dtype)
        side[xp.searchsorted(rows, array.indices)] = array.data
        sides.append(side)
    return RowSparse(lhs.shape, kernel(xp, *sides), rows)


def _times(kernel: Callable[..., Any], xp: Any, lhs: Any, rhs: Any, **params: Any) -> Any:
    """Compute where the sparse operand has elements, if one is dense."""
    if hasattr(lhs, "stype") and hasattr(rhs, "stype"):
        return _pair(kernel, xp, lhs, rhs)
    shape = lhs.with_data(lhs.data) if hasattr(lhs, "stype") else rhs
    left, right = (_at(xp, operand, shape) for operand in (lhs, rhs))
    return shape.with_data(kernel(xp, left, right))


def _at(xp: Any, operand: Any, like: Any) -> Any:
    """Return the elements of an operand where another one is stored."""
    if operand is like or hasattr(operand, "stype"):
        return operand.data
    full = xp.broadcast_to(operand, like.shape)
    if isinstance(like, RowSparse):
        return full[like.indices]
    count = int(like.indptr[-1])
    return full[rows_of(xp, like), like.indices[:count]]


def _by(kernel: Callable[..., Any], xp: Any, lhs: RowSparse, rhs: Any, **params: Any) -> RowSparse:
    """Divide the stored rows, and leave the others 0."""
    return lhs.with_data(kernel(xp, lhs.data, dense(xp, rhs)[lhs.indices]))


#: Sum and difference: sparse arrays of one kind give such an array.
SUM = Storage(_sum, _pair)
#: Greater, smaller and hypotenuse.
OF_ONE_KIND = Storage(_of_one_kind, _pair)
PRODUCT = Storage(_product, _times)
QUOTIENT = Storage(_quotient)
SCATTERED_QUOTIENT = Storage(_scattered, _by)
BROADCAST_SUM = Storage(_broadcast_sum)
BROADCAST_PRODUCT = Storage(_broadcast_product, _times)


def _sum_of_all(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if set(stypes) == {"row_sparse"}:
        return "row_sparse"
    return DENSE if len(stypes) == 3 and stypes[0] == stypes[2] == "default" and stypes[1] == "csr" else Fallback()


def _add_all(kernel: Callable[..., Any], xp: Any, *arrays: RowSparse, **params: Any) -> RowSparse:
    total = arrays[0]
    for more in arrays[1:]:
        total = _rows(lambda module, left, right: module.add(left, right), xp, total, more)
    return total


SUM_OF_ALL = Storage(_sum_of_all, _add_all)
