"""Pooling, with a table of the ways to combine the elements of a window."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.blocks import blocks, is_numpy
from hybridlint.runtime.ops.type_rules import require_rank
from hybridlint.runtime.ops.windows.geometry import (
    Geometry,
    cropped,
    geometry,
    padded,
    with_channels_first,
    with_channels_last,
)
from hybridlint.runtime.ops.windows.pooled import Pooled, by_axes, recipe

#: So many elements have their gradients distributed at once.
_AT_ONCE = 1 << 18
#: From so many elements on, windows that overlap share their gradients as vectors, which take longer to lay out.
_MANY = 1 << 14


@dataclass(frozen=True, slots=True)
class _Kind:
    """A way to combine the elements of a window.

    `start` is the initial value, ``add(xp, total, elements, p)`` adds elements to it, ``finish(total, p)`` returns the
    result.
    """

    start: float
    add: Callable[[Any, Any, Any, int], None]
    finish: Callable[[Any, int], Any]


def _add(xp: Any, total: Any, elements: Any, p: int) -> None:
    xp.add(total, elements, out=total)


def _add_power(xp: Any, total: Any, elements: Any, p: int) -> None:
    xp.add(total, xp.abs(elements) ** p, out=total)


def _keep_largest(xp: Any, total: Any, elements: Any, p: int) -> None:
    xp.maximum(total, elements, out=total)


_KINDS = {
    "max": _Kind(float("-inf"), _keep_largest, lambda total, p: total),
    "avg": _Kind(0.0, _add, lambda total, p: total),
    "sum": _Kind(0.0, _add, lambda total, p: total),
    "lp": _Kind(0.0, _add_power, lambda total, p: total ** (1 / p)),
}


@dataclass(frozen=True, slots=True)
class _Plan:
    """The windows of a pooling: their geometry, their numbers, and the padding at the end beyond `pad`."""

    shape: Geometry
    sizes: Ints
    counts: Ints
    more: Ints

    def divisors(self, xp: Any, include_pad: bool) -> Any:
        """Return the number of elements that each window averages over, broadcastable to the output."""
        result = 1
        rows = zip(self.sizes, self.counts, self.shape.kernel, self.shape.stride, self.shape.pad, strict=True)
        for axis, (size, count, kernel, stride, pad) in enumerate(rows):
            first = xp.arange(count) * stride - pad
            last = xp.minimum(first + kernel, size + pad)
            if not include_pad:
                first, last = xp.maximum(first, 0), xp.minimum(last, size)
            result = result * (last - first).reshape((-1,) + (1,) * (len(self.sizes) - 1 - axis))
        return result


def _counts(shape: Geometry, sizes: Shape, convention: str) -> Shape:
    if convention == "valid":
        return shape.count(sizes)
    if convention == "same":
        return tuple((n + s - 1) // s for n, s in zip(sizes, shape.stride, strict=True))
    shape.count(sizes)
    rows = zip(sizes, shape.extent, shape.stride, shape.pad, strict=True)
    return tuple((n + (2 * p - e + s - 1)) // s + 1 for n, e, s, p in rows)


def _check(pool_type: str, convention: str, p_value: int | None) -> None:
    if pool_type not in _KINDS:
        raise InferError("pool_type", f"expected one of {', '.join(_KINDS)}, got {pool_type!r}")
    if convention not in {"valid", "full", "same"}:
        raise InferError("pooling_convention", f"expected 'valid', 'full' or 'same', got {convention!r}")
    if pool_type == "lp" and p_value not in {1, 2, 3}:
        raise InferError("p_value", f"expected 1, 2 or 3, got {p_value}")


def _check_same(data: TensorType, pad: Ints) -> None:
    """Raise InferError for what MXNet refuses beside the convention "same", which reads three numbers of `pad`."""
    require_rank(data, (3,))
    if pad != (0, 0, 0):
        raise InferError("pad", f"expected (0, 0, 0) with pooling_convention='same', got {pad}")


def infer_pooling(
    data: TensorType,
    *,
    kernel: Ints,
    pool_type: str,
    global_pool: bool,
    pooling_convention: str,
    stride: Ints,
    pad: Ints,
    p_value: int | None,
    layout: str | None,
) -> TensorType:
    """Return the output type of pooling. Raises InferError."""
    if global_pool:
        return data.with_shape(_global_shape(data, layout))
    shape = _geometry(kernel, stride, pad, layout)
    _check(pool_type, pooling_convention, p_value)
    if pooling_convention == "same":
        _check_same(data, pad)
    if any(p >= k for p, k in zip(shape.pad, kernel, strict=True)):
        raise InferError("pad", f"{pad} must be smaller than the kernel {kernel}")
    batch, channels, sizes = shape.sizes_of(data)
    return data.with_shape(shape.arrange(batch, channels, _counts(shape, sizes, pooling_convention)))


def _geometry(kernel: Ints, stride: Ints, pad: Ints, layout: str | None = None) -> Geometry:
    """Return the windows of a pooling. Values of `stride` and `pad` beyond the axes of the kernel are ignored.

    Networks converted from other frameworks pad with (top, left, bottom, right). Raises InferError.
    """
    if 0 in stride:
        raise InferError("stride", f"expected numbers of at least 1, got {stride}")
    rank = len(kernel)
    return geometry(kernel, stride[:rank], (), pad[:rank], layout)


def _global_shape(data: TensorType, layout: str | None) -> Shape | None:
    require_rank(data, range(3, 6))
    if data.shape is None:
        return None
    ones = (1,) * (len(data.shape) - 2)
    if layout is not None and layout[-1] == "C":
        return (data.shape[0], *ones, data.shape[-1])
    return (*data.shape[:2], *ones)


def _plan(data_shape: Ints, kernel: Ints, stride: Ints, pad: Ints, convention: str, global_pool: bool) -> _Plan:
    """Return the windows over the spatial axes of (N, C, ...)."""
    sizes = data_shape[2:]
    if global_pool:
        return _Plan(geometry(sizes), sizes, (1,) * len(sizes), (0,) * len(sizes))
    shape = _geometry(kernel, stride, pad)
    counts = tuple(int(n) for n in _counts(shape, sizes, convention))  # type: ignore[arg-type]
    rows = zip(sizes, counts, shape.extent, shape.stride, shape.pad, strict=True)
    more = tuple(max(0, (c - 1) * s + e - n - 2 * p) for n, c, e, s, p in rows)
    return _Plan(shape, sizes, counts, more)


def _pool_all(xp: Any, data: Any, pool_type: str, p: int) -> Any:
    axes = tuple(range(2, data.ndim))
    if pool_type == "lp":
        return (xp.abs(data) ** p).sum(axis=axes, keepdims=True) ** (1 / p)
    reduce = {"max": data.max, "avg": data.mean, "sum": data.sum}[pool_type]
    return reduce(axis=axes, keepdims=True)


#: Kinds whose windows may be combined axis by axis, by the function that combines two elements.
_BY_AXES = {"max": "maximum", "avg": "add", "sum": "add"}


def _pooled(shape: Ints, dtype: str | None, plan: _Plan, pool_type: str) -> Pooled:
    start = _KINDS[pool_type].start
    return Pooled(_BY_AXES[pool_type], start, plan.shape, shape[0], shape[1], tuple(shape[2:]), plan.counts, dtype)


def _pool(xp: Any, data: Any, plan: _Plan, pool_type: str, p: int, include_pad: bool) -> Any:
    kind = _KINDS[pool_type]
    if pool_type in _BY_AXES and is_numpy(xp):
        result = by_axes(xp, _pooled(data.shape, data.dtype.name, plan, pool_type), data)
    else:
        source = padded(xp, data, plan.shape.pad, kind.start, plan.more)
        total = xp.full((*data.shape[:2], *plan.counts), kind.start, data.dtype)
        for _, offset in plan.shape.offsets():
            kind.add(xp, total, source[(..., *plan.shape.at(offset, plan.counts))], p)
        result = kind.finish(total, p)
    if pool_type == "avg":
        result /= plan.divisors(xp, include_pad).astype(data.dtype)
    return result


def _planned(
    ins: tuple[TensorType | None, ...],
    outs: tuple[TensorType, ...],
    /,
    *,
    kernel: Ints,
    pool_type: str,
    global_pool: bool,
    pooling_convention: str,
    stride: Ints,
    pad: Ints,
    count_include_pad: bool | None,
    layout: str | None,
) -> BufferRecipe | None:
    """Pool along one axis after another."""
    data = ins[0]
    assert data is not None
    last = layout is not None and layout[-1] == "C"
    if global_pool or last or pool_type not in _BY_AXES or data.dtype not in {"float32", "float64"}:
        return None
    plan = _plan(sizes_of(data), kernel, stride, pad, pooling_convention, global_pool=False)
    known = _pooled(sizes_of(data), data.dtype, plan, pool_type)
    return recipe(known, (lambda xp: plan.divisors(xp, count_include_pad is not False)) if pool_type == "avg" else None)


_PLANAR = ("kernel", "pool_type", "global_pool", "pooling_convention", "stride", "pad", "p_value", "count_include_pad")


@op(
    name="Pooling",
    planned=_planned,
    infer=infer_pooling,
    grad=lambda F, g, ins, outs, *, layout, **params: (
        F._hl_pool_grad(g, ins[0], outs[0], layout=layout, **{k: params[k] for k in _PLANAR}),
    ),
    samples=[
        sample((1, 2, 5, 5), kernel=(2, 2), stride=(2, 2)),
        sample((1, 2, 5, 5), kernel=(2, 3), stride=(2, 2), pad=(0, 1), pooling_convention="full"),
        sample((2, 2, 5, 5), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg"),
        sample((1, 1, 6), kernel=(3,), stride=(2,), pad=(1,), pool_type="avg", pooling_convention="full"),
        sample((1, 1, 6), kernel=(3,), pad=(1,), pool_type="avg", count_include_pad=False),
        sample((1, 1, 9), kernel=(2,), stride=(2,), pad=(0, 0, 0), pool_type="avg", pooling_convention="same"),
        sample((1, 2, 12), kernel=(3,), stride=(3,), pad=(0, 0, 0), pooling_convention="same"),
        sample((1, 2, 5, 6), kernel=(3, 3), stride=(2, 2, 1), pad=(1, 0, 1, 2)),
        sample((1, 2, 4, 4), kernel=(2, 2), pool_type="lp", p_value=2, low=0.5),
        sample((1, 2, 3, 3, 3), kernel=(2, 2, 2), pool_type="sum"),
        sample((2, 2, 3, 4), global_pool=True),
        sample((2, 2, 3, 4), global_pool=True, pool_type="avg"),
    ],
)
def pooling(
    xp: Any,
    data: Any,
    /,
    *,
    kernel: Ints = (),
    pool_type: Literal["avg", "lp", "max", "sum"] = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Literal["full", "same", "valid"] = "valid",
    stride: Ints = (),
    pad: Ints = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
) -> Any:
    """Combine the elements of each window of (N, C, ...): max, avg, sum or lp; with `global_pool` all elements."""
    last = layout is not None and layout[-1] == "C"
    source = with_channels_first(data) if last else data
    if global_pool:
        result = _pool_all(xp, source, pool_type, p_value or 2)
    else:
        plan = _plan(source.shape, kernel, stride, pad, pooling_convention, False)
        result = _pool(xp, source, plan, pool_type, p_value or 2, count_include_pad is not False)
    return xp.ascontiguousarray(with_channels_last(result)) if last else result


def _infer_grad(g: TensorType, data: TensorType, result: TensorType) -> TensorType:
    return data


def _added(xp: Any, into: Any, place: Any, value: Any) -> None:
    into[place] += value


def _shared_out(xp: Any, g: Any, data: Any, result: Any, /, **params: Any) -> Any:
    """Pooling's gradient with sums by a function of numpy that tells where they go; slow on numpy itself."""
    return _pulled(xp, g, data, result, lambda xp, into, place, value: xp.add.at(into, place, value), **params)


@op(
    infer=_infer_grad,
    native=_shared_out,
    samples=[
        sample((1, 2, 2, 2), (1, 2, 4, 4), (1, 2, 2, 2), kernel=(2, 2), stride=(2, 2), pool_type="avg"),
        sample((2, 2, 2, 3), (2, 2, 5, 6), (2, 2, 2, 3), kernel=(2, 2), stride=(2, 2)),
        sample((1, 2, 3, 3), (1, 2, 5, 6), (1, 2, 3, 3), kernel=(3, 3), stride=(2, 2), pad=(1, 1)),
        sample((2, 2, 1, 1), (2, 2, 3, 4), (2, 2, 1, 1), global_pool=True),
        sample((1, 5, 6, 2), (1, 5, 6, 2), (1, 5, 6, 2), kernel=(3, 3), pad=(1, 1), layout="NHWC", pool_type="sum"),
    ],
)
def _hl_pool_grad(
    xp: Any,
    g: Any,
    data: Any,
    result: Any,
    /,
    *,
    kernel: Ints = (),
    pool_type: str = "max",
    global_pool: bool = False,
    pooling_convention: str = "valid",
    stride: Ints = (),
    pad: Ints = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: str | None = None,
) -> Any:
    """Return the gradient with respect to Pooling's data; of several largest elements the first receives it."""
    return _pulled(
        xp,
        g,
        data,
        result,
        _added,
        kernel=kernel,
        pool_type=pool_type,
        global_pool=global_pool,
        pooling_convention=pooling_convention,
        stride=stride,
        pad=pad,
        p_value=p_value,
        count_include_pad=count_include_pad,
        layout=layout,
    )


def _pulled(
    xp: Any,
    g: Any,
    data: Any,
    result: Any,
    add: Callable[[Any, Any, Any, Any], None],
    *,
    kernel: Ints = (),
    pool_type: str = "max",
    global_pool: bool = False,
    pooling_convention: str = "valid",
    stride: Ints = (),
    pad: Ints = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: str | None = None,
) -> Any:
    """Return the gradient of data, given what adds a value to a part of an array."""
    last = layout is not None and layout[-1] == "C"
    g, source, result = (with_channels_first(t) if last else t for t in (g, data, result))
    plan = _plan(source.shape, kernel, stride, pad, pooling_convention, global_pool)
    if pool_type == "avg":
        g = g / plan.divisors(xp, global_pool or count_include_pad is not False).astype(g.dtype)
    if add is _added:
        into = _share_in_parts(xp, g, source, result, plan, pool_type, p_value or 2)
    else:
        into = _share(xp, g, source, result, plan, pool_type, p_value or 2, add)
    return xp.ascontiguousarray(with_channels_last(into)) if last else into


def _to_first_largest(xp: Any, g: Any, data: Any, result: Any) -> Any:
    """Give the gradient of each channel's largest element to the first of these; a window of everything is one step."""
    flat = data.reshape(*data.shape[:2], -1)
    first = xp.argmax(flat, axis=-1)[..., None]
    chosen = (xp.arange(flat.shape[-1]) == first) & (flat == result.reshape(*result.shape[:2], 1))
    return xp.where(chosen, g.reshape(*g.shape[:2], 1), xp.zeros_like(flat)).reshape(data.shape)


def _share_in_parts(xp: Any, g: Any, data: Any, result: Any, plan: _Plan, pool_type: str, p: int) -> Any:
    """Distribute the gradient, for as many planes at once as fit into the cache."""
    if pool_type in {"avg", "sum"} and plan.shape.kernel != plan.sizes:
        return _share_sums(xp, g, plan)
    most = max(_AT_ONCE // max(math.prod(plan.sizes), 1), 1)
    planes = data.shape[0] * data.shape[1]
    by_vectors = pool_type == "max" and data.dtype.kind == "f" and data.size >= _MANY and _overlap(plan)

    def shared(g: Any, data: Any, result: Any) -> Any:
        if by_vectors:
            return _share_largest(xp, g, data, result, plan)
        return _share(xp, g, data, result, plan, pool_type, p, _added)

    if planes <= most:
        return shared(g, data, result)
    g, source, result = (xp.ascontiguousarray(t).reshape(planes, 1, *t.shape[2:]) for t in (g, data, result))
    into = xp.empty_like(source)
    for part in blocks(planes, most):
        into[part] = shared(g[part], source[part], result[part])
    return into.reshape(data.shape)


def _overlap(plan: _Plan) -> bool:
    """Whether windows overlap, of which there are several along each axis."""
    rows = zip(plan.counts, plan.shape.kernel, plan.shape.stride, strict=True)
    return all(count > 1 and kernel > stride for count, kernel, stride in rows)


def _share_sums(xp: Any, g: Any, plan: _Plan) -> Any:
    """Give the gradient of each window to all its elements, one axis after another: these are fewer steps."""
    rows = zip(plan.sizes, plan.more, plan.counts, plan.shape.kernel, plan.shape.stride, plan.shape.pad, strict=True)
    for axis, (size, more, count, kernel, stride, pad) in reversed(list(enumerate(rows, 2))):
        into = xp.zeros((*g.shape[:axis], size + 2 * pad + more, *g.shape[axis + 1 :]), g.dtype)
        for offset in range(kernel):
            into[(*(slice(None),) * axis, slice(offset, offset + (count - 1) * stride + 1, stride))] += g
        g = into
    return cropped(g, plan.shape.pad, plan.sizes)


class _Strided:
    """The elements of padded data that are a stride apart, side by side, for each first element of an axis, its phase.

    Rows are as long for the windows, which equal no element where they only fill up rows. So one offset in the window
    is one distance between elements and windows that lie in one vector, for all windows.
    """

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        rows = zip(plan.counts, plan.shape.kernel, plan.shape.stride, strict=True)
        self.lengths = tuple(count + (kernel - 1) // step for count, kernel, step in rows)

    def vector(self, xp: Any, values: Any, filling: float, inner: tuple[slice, ...]) -> Any:
        """Return rows with the values at `inner` and `filling` elsewhere, flattened."""
        result = xp.full((*values.shape[:2], *self.lengths), filling, values.dtype)
        result[(..., *inner)] = values
        return result.reshape(-1)

    def place(self, offset: Ints) -> tuple[Ints, int]:
        """Return the phase of an offset in the window, and the distance of windows to their elements."""
        pairs = [divmod(o, s) for o, s in zip(offset, self._plan.shape.stride, strict=True)]
        distance = 0
        for (steps, _), length in zip(pairs, self.lengths, strict=True):
            distance = distance * length + steps
        return tuple(first for _, first in pairs), distance

    def parts(self, phase: Ints) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Return where the elements of a phase are in the data, and where in its rows."""
        outer, inner = [], []
        shape = self._plan.shape
        for first, size, length, s, p in zip(
            phase, self._plan.sizes, self.lengths, shape.stride, shape.pad, strict=True
        ):
            skipped = max(-(-(p - first) // s), 0)
            start = skipped * s + first - p
            count = max(min(-(-(size - start) // s), length - skipped), 0)
            outer.append(slice(start, start + max(count - 1, 0) * s + min(count, 1), s))
            inner.append(slice(skipped, skipped + count))
        return tuple(outer), tuple(inner)


def _share_largest(xp: Any, g: Any, data: Any, result: Any, plan: _Plan) -> Any:
    """Give the gradient of each window to its first largest element, by plain functions of vectors."""
    strided = _Strided(plan)
    windows = tuple(slice(0, count) for count in plan.counts)
    heads, largest = strided.vector(xp, g, 0, windows), strided.vector(xp, result, xp.nan, windows)
    left, chosen = xp.ones(heads.size, bool), xp.empty(heads.size, bool)
    share = xp.empty_like(heads)
    elements: dict[Ints, Any] = {}
    sums: dict[Ints, Any] = {}
    for _, offset in plan.shape.offsets():
        phase, distance = strided.place(offset)
        if phase not in elements:
            outer, inner = strided.parts(phase)
            elements[phase] = strided.vector(xp, data[(..., *outer)], _KINDS["max"].start, inner)
            sums[phase] = xp.zeros_like(heads)
        end = heads.size - distance
        xp.equal(elements[phase][distance:], largest[:end], out=chosen[:end])
        chosen[:end] &= left[:end]
        left[:end] ^= chosen[:end]
        xp.multiply(heads[:end], chosen[:end], out=share[:end])
        sums[phase][distance:] += share[:end]
    into = xp.zeros_like(data)
    for phase, total in sums.items():
        outer, inner = strided.parts(phase)
        into[(..., *outer)] = total.reshape(*data.shape[:2], *strided.lengths)[(..., *inner)]
    return into


def _share(
    xp: Any,
    g: Any,
    data: Any,
    result: Any,
    plan: _Plan,
    pool_type: str,
    p: int,
    add: Callable[[Any, Any, Any, Any], None],
) -> Any:
    """Distribute the gradient of each window to its elements."""
    whole = plan.counts == (1,) * len(plan.counts) and plan.shape.kernel == plan.sizes
    if whole and pool_type in {"avg", "sum"}:
        return xp.broadcast_to(g, data.shape).copy()
    if whole and pool_type == "max":
        return _to_first_largest(xp, g, data, result)
    source = padded(xp, data, plan.shape.pad, _KINDS[pool_type].start, plan.more)
    into, left = xp.zeros_like(source), xp.ones(result.shape, bool)
    root = g * result ** (1 - p) if pool_type == "lp" else g
    for _, offset in plan.shape.offsets():
        place = (..., *plan.shape.at(offset, plan.counts))
        if pool_type == "max":
            chosen = left & (source[place] == result)
            left &= ~chosen
            add(xp, into, place, g * chosen)
        elif pool_type == "lp":
            add(xp, into, place, root * xp.sign(source[place]) * xp.abs(source[place]) ** (p - 1))
        else:
            add(xp, into, place, g)
    return cropped(into, plan.shape.pad, plan.sizes)
