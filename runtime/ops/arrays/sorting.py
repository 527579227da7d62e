"""Sorting along an axis; equal elements keep their order."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import DimLike, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, InferError, TensorType

#: An axis at least so many times longer than what is taken of it is parted rather than sorted.
_SORTS_ALL = 8
#: Parts of a row of which the best elements are compared, for each element that is wanted.
_PARTS_EACH = 4
#: So few elements are found one after another.
_ONE_BY_ONE = 32


def _order(xp: Any, data: Any, axis: int, is_ascend: bool) -> Any:
    """Return the indices that sort along an axis; equal elements keep their order, also in descending order."""
    if is_ascend:
        return xp.argsort(data, axis=axis, kind="stable")
    behind = xp.argsort(xp.flip(data, axis), axis=axis, kind="stable")
    return xp.flip(data.shape[axis] - 1 - behind, axis)


def _first(xp: Any, data: Any, axis: int, k: int, is_ascend: bool) -> Any:
    """Return the indices of the first k sorted elements along an axis, in order; of all elements if k is 0."""
    length = data.shape[axis]
    if 0 < k <= min(_ONE_BY_ONE, length // 2) and data.dtype.kind in "fiu":
        places = _one_by_one(xp, xp.moveaxis(data, axis, -1), k, is_ascend)
        if places is not None:
            return xp.moveaxis(places, -1, axis)
    if data.size and 0 < k <= length // _SORTS_ALL:
        places = _among_few(xp, xp.moveaxis(data, axis, -1), k, is_ascend)
        if places is not None:
            return xp.moveaxis(places, -1, axis)
    return xp.take(_order(xp, data, axis, is_ascend), xp.arange(k or length), axis=axis)


def _one_by_one(xp: Any, values: Any, k: int, is_ascend: bool) -> Any | None:
    """Return the indices of the first k sorted elements along the last axis; None if this algorithm cannot decide.

    What was found is replaced by the last number of the order, which must not be among what is still to be found, nor
    may NaNs, which are found first.
    """
    left, find = values.copy(order="C"), xp.argmin if is_ascend else xp.argmax
    limits = (-xp.inf, xp.inf) if left.dtype.kind == "f" else (xp.iinfo(left.dtype).min, xp.iinfo(left.dtype).max)
    last = limits[is_ascend]
    places = xp.empty((*left.shape[:-1], k), "int64")
    for step in range(k):
        place = find(left, axis=-1, keepdims=True)
        found = xp.take_along_axis(left, place, -1)
        if (found == last).any() or (step == 0 and left.dtype.kind == "f" and xp.isnan(found).any()):
            return None
        xp.put_along_axis(left, place, last, -1)
        places[..., step : step + 1] = place
    return places


def _among_few(xp: Any, values: Any, k: int, is_ascend: bool) -> Any | None:
    """Return the indices of the first k sorted elements along the last axis, by sorting few; None where NaNs are found.

    The best elements of parts of a row are a bound: k of them are at least as good as the k-th, so that no element
    behind it is among the first k.
    """
    length = values.shape[-1]
    lines = xp.ascontiguousarray(values).reshape(-1, length)
    parts = length // max(length // (_PARTS_EACH * k), 1)
    each = lines[:, : length // parts * parts].reshape(len(lines), -1, parts)
    best = each.min(axis=1) if is_ascend else each.max(axis=1)
    if best.dtype.kind == "f" and xp.isnan(best).any() | xp.isnan(lines[:, each[0].size :]).any():
        return None
    cut = k - 1 if is_ascend else parts - k
    bound = xp.partition(best, cut, axis=-1)[:, cut : cut + 1]
    found = xp.flatnonzero(lines <= bound if is_ascend else lines >= bound)
    rows = found // length
    counts = xp.bincount(rows, minlength=len(lines))
    # Rows are filled up at their end with what equals their bound: a stable sort takes it after all that is as good.
    few = xp.repeat(bound, int(counts.max()), axis=1)
    places = xp.zeros(few.shape, "int64")
    at = rows, xp.arange(len(found)) - (xp.cumsum(counts) - counts)[rows]
    few[at], places[at] = lines.reshape(-1)[found], found % length
    among = _order(xp, few, -1, is_ascend)[:, :k]
    return xp.take_along_axis(places, among, -1).reshape(*values.shape[:-1], k)


def _laid(data: Any, axis: int | None) -> tuple[Any, int]:
    """Return the data and the axis to sort along; if the axis is None, the flattened data and axis 0."""
    return (data.reshape(-1), 0) if axis is None else (data, axis % data.ndim)


def _length(data: TensorType, axis: int | None) -> DimLike | None:
    if data.shape is None:
        return None
    return product(data.shape) if axis is None else data.shape[normal_axis(axis, len(data.shape))]


def _infer_sort(data: TensorType, *, axis: int | None) -> TensorType:
    length = _length(data, axis)
    return data.with_shape((length,)) if axis is None and length is not None else data


@op(
    infer=_infer_sort,
    grad=lambda F, g, ins, outs, *, axis, is_ascend: (
        F._hl_order_grad(g, ins[0], axis=axis, k=0, is_ascend=is_ascend),
    ),
    facts=Facts(numpy_names=("sort",), traced_required=("axis",), output_names=("output0",)),
    samples=[sample((3, 4)), sample((3, 4), axis=0, is_ascend=False), sample((2, 3), axis=None)],
    method="sort",
)
def sort(xp: Any, data: Any, /, *, axis: int | None = -1, is_ascend: bool = True) -> Any:
    """Sort the elements along an axis; if the axis is None, all elements in one vector."""
    values, along = _laid(data, axis)
    result = xp.sort(values, axis=along)
    return result if is_ascend else xp.flip(result, along)


@op(
    infer=lambda data, *, axis, dtype: _infer_sort(data, axis=axis).with_dtype(dtype),
    grad=zero_gradient,
    facts=Facts(numpy_names=("argsort",), positions=True),
    samples=[sample((3, 4)), sample((3, 4), axis=0, is_ascend=False, dtype="int32"), sample((2, 3), axis=None)],
    method="argsort",
)
def argsort(xp: Any, data: Any, /, *, axis: int | None = -1, is_ascend: bool = True, dtype: Dtype = "float32") -> Any:
    """Return the indices that sort along an axis, or sort all elements if the axis is None."""
    values, along = _laid(data, axis)
    return _order(xp, values, along, is_ascend).astype(dtype)


def _infer_topk(
    data: TensorType, *, axis: int | None, k: int, ret_typ: str, dtype: str
) -> TensorType | tuple[TensorType, ...]:
    if ret_typ not in {"value", "indices", "mask", "both"}:
        raise InferError("ret_typ", f"expected 'value', 'indices', 'mask' or 'both', got {ret_typ!r}")
    length = _length(data, axis)
    if isinstance(length, int) and not 0 <= k <= length:
        raise InferError("k", f"expected 0 to {length}, got {k}")
    if ret_typ == "mask":
        return data
    if data.shape is None or length is None:
        values = data
    elif axis is None:
        values = data.with_shape((k or length,))
    else:
        place = normal_axis(axis, len(data.shape))
        values = data.with_shape((*data.shape[:place], k or length, *data.shape[place + 1 :]))
    indices = values.with_dtype(dtype)
    if ret_typ == "both":
        return values, indices
    return values if ret_typ == "value" else indices


def _topk_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    axis: int | None,
    k: int,
    ret_typ: str,
    is_ascend: bool,
) -> tuple[Any]:
    if ret_typ not in {"value", "both"}:
        return (None,)
    head = g[0] if ret_typ == "both" else g
    return (F._hl_order_grad(head, ins[0], axis=axis, k=k, is_ascend=is_ascend),)


@op(
    infer=_infer_topk,
    grad=_topk_grad,
    outputs=lambda *, ret_typ: 2 if ret_typ == "both" else 1,
    samples=[
        sample((3, 4), k=2),
        sample((3, 4), k=2, axis=0, ret_typ="value", is_ascend=True),
        sample((3, 4), k=3, ret_typ="both", dtype="int32"),
        sample((3, 4), k=2, ret_typ="mask"),
        sample((2, 3), k=2, axis=None, ret_typ="both"),
    ],
    facts=Facts(positions=True),
    method="topk",
)
def topk(
    xp: Any,
    data: Any,
    /,
    *,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal["both", "indices", "mask", "value"] = "indices",
    is_ascend: bool = False,
    dtype: Dtype = "float32",
) -> Any:
    """Return the k largest elements (smallest with `is_ascend`) along an axis, in order; all elements if k is 0.

    `ret_typ` selects what is returned: the values, the indices, both, or a 0/1 mask of the data's shape.
    """
    values, along = _laid(data, axis)
    order = _first(xp, values, along, k, is_ascend)
    if ret_typ == "indices":
        return order.astype(dtype)
    if ret_typ == "mask":
        mask = xp.zeros_like(values)
        xp.put_along_axis(mask, order, 1, along)
        return mask.reshape(data.shape)
    chosen = xp.take_along_axis(values, order, along)
    return chosen if ret_typ == "value" else (chosen, order.astype(dtype))


@op(
    infer=lambda g, data: data,
    samples=[sample((2, 2), (2, 3), axis=-1, k=2, is_ascend=False)],
)
def _hl_order_grad(xp: Any, g: Any, data: Any, /, *, axis: int | None, k: int, is_ascend: bool) -> Any:
    """Return the gradient with respect to sorted data: `g` at the original positions of the first k sorted elements."""
    values, along = _laid(data, axis)
    order = _first(xp, values, along, k, is_ascend)
    into = xp.zeros_like(values)
    xp.put_along_axis(into, order, g, along)
    return into.reshape(data.shape)
