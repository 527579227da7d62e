"""Convolution in one to three dimensions and its two gradients, as matrix products of gathered windows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, Literal

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.elementwise.families import store
from hybridlint.runtime.ops.type_rules import exact_quotient, refined
from hybridlint.runtime.ops.windows import channels_last_convolution
from hybridlint.runtime.ops.windows.column_blocks import WindowColumns
from hybridlint.runtime.ops.windows.geometry import (
    Geometry,
    cropped,
    gather,
    geometry,
    padded,
    room_of,
    scatter,
    with_channels_first,
    with_channels_last,
)
from hybridlint.runtime.ops.windows.products import spread_products, weigh_products, windows_of

GEOMETRY = ("kernel", "stride", "dilate", "pad", "layout")

#: So many elements of windows are copied at once: a few megabytes, which stay near the processor for the product.
_AT_ONCE = 1 << 20
#: The same for windows of several groups or samples, of which each has few.
_COLUMNS = 1 << 19


def divided(size: DimLike, groups: int, argument: str) -> DimLike:
    """Return the number of channels per group. Raises InferError if `size` is not divisible by `groups`."""
    if groups < 1:
        raise InferError("num_group", f"expected at least 1, got {groups}")
    return exact_quotient([size], [groups], argument) if isinstance(size, int) else size // groups


def complete(
    data: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    num_filter: int,
    num_group: int,
    layout: str | None,
) -> tuple[TensorType, ...]:
    """Complete weight and bias by the data and the window."""
    shape = geometry(kernel, layout=layout)
    _, channels, _ = shape.sizes_of(data)
    divided(num_filter, num_group, "num_filter")
    wanted = shape.arrange(num_filter, divided(channels, num_group, "data"), kernel)
    biases = (refined(b, (num_filter,), data.dtype, "bias") for b in bias)
    return (data, refined(weight, wanted, data.dtype, "weight"), *biases)


def infer(
    data: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    num_filter: int,
    num_group: int,
    layout: str | None,
) -> TensorType:
    """Return the type of a convolution's result."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    known = complete(data, weight, *bias, kernel=kernel, num_filter=num_filter, num_group=num_group, layout=layout)
    batch, _, sizes = shape.sizes_of(data)
    return TensorType(shape.arrange(batch, num_filter, shape.count(sizes)), known[1].dtype)


def convolve(
    xp: Any, data: Any, weight: Any, shape: Geometry, groups: int, out: Any = None, counts: Ints | None = None
) -> Any:
    """Return the correlation of (N, C, ...) with filters (F, C / groups, *kernel); `out` may receive the result.

    `counts` are the numbers of windows unless these end where the data with their padding do.
    """
    counts = shape.count_of(data.shape[2:]) if counts is None else counts
    if _is_depthwise(weight, groups) and not _has_products(data, weight):
        return _by_channel(xp, padded(xp, data, shape.pad), weight, shape, counts, out)
    result = xp.empty((data.shape[0], weight.shape[0], *counts), xp.result_type(data, weight)) if out is None else out
    rows = weight.reshape(groups, -1, weight[0].size)
    if rows.shape[2] * math.prod(counts) > _AT_ONCE:
        _convolve_lines(xp, padded(xp, data, shape.pad), rows, shape, result)
        return result
    target = result.reshape(data.shape[0], groups, rows.shape[1], *counts)
    columns = WindowColumns(xp, data, shape, groups, counts, _COLUMNS)
    for samples, some, block in columns.blocks():
        product = xp.matmul(rows[some], block)
        target[samples, some] = product.reshape(*product.shape[:3], *columns.places)[..., : counts[-1]]
    return result


def _is_depthwise(weight: Any, groups: int) -> bool:
    """Return whether each channel has a filter of its own."""
    return bool(weight.shape[1] == 1 and weight.shape[0] == groups)


def _has_products(*arrays: Any) -> bool:
    """Return whether a library computes the products of matrices of these arrays."""
    return all(array.dtype.name in {"float32", "float64"} for array in arrays)


def _convolve_lines(xp: Any, source: Any, rows: Any, shape: Geometry, result: Any) -> None:
    """Store the correlation of padded data, whose windows are copied for some lines of one sample at a time."""
    counts = result.shape[2:]
    windows = gather(xp, source, shape, counts)
    groups, each, size = rows.shape
    target = result.reshape(len(source), groups, each, counts[0], math.prod(counts[1:]))
    step = max(counts[0] * _AT_ONCE // (groups * size * math.prod(counts)), 1)
    for place, begin in itertools.product(range(len(source)), range(0, counts[0], step)):
        lines = slice(begin, begin + step)
        part = windows[(place, ..., lines, *(slice(None),) * (shape.rank - 1))]
        into = target[place, :, :, lines, :]
        xp.matmul(rows, part.reshape(groups, size, -1), out=into.reshape(groups, each, -1))


def _together(samples: int, each: int) -> Iterator[slice]:
    """Yield slices of samples that together have a limited number of elements; each sample has `each`."""
    step = max(_AT_ONCE // max(each, 1), 1)
    return (slice(begin, begin + step) for begin in range(0, samples, step))


def _by_channel(xp: Any, source: Any, weight: Any, shape: Geometry, counts: Ints, out: Any) -> Any:
    """Correlate each channel with its own filter (depthwise) where no library multiplies matrices of such numbers."""
    result = xp.empty((*source.shape[:2], *counts), source.dtype) if out is None else out
    result.fill(0)
    ones = (1,) * shape.rank
    for index, offset in shape.offsets():
        factor = weight[(slice(None), 0, *index)].reshape(-1, *ones)
        result += source[(..., *shape.at(offset, counts))] * factor
    return result


def spread(xp: Any, g: Any, weight: Any, shape: Geometry, groups: int, sizes: Ints) -> Any:
    """Return the gradient with respect to convolution's data (N, C, *sizes), given its output's; channels first."""
    depthwise, fast = _is_depthwise(weight, groups), _has_products(g, weight)
    if fast and set(shape.stride) == {1} and all(p < e for p, e in zip(shape.pad, shape.extent, strict=True)):
        return _spread_turned(xp, g, weight, shape, groups, sizes)
    if depthwise:
        return (_spread_over_phases if fast else _spread_by_channel)(xp, g, weight, shape, sizes)
    channels, places = weight.shape[1] * groups, math.prod(g.shape[2:])
    rows = weight.reshape(groups, -1, weight[0].size).swapaxes(1, 2)
    heads = g.reshape(g.shape[0], groups, rows.shape[2], places)
    result = xp.empty((g.shape[0], channels, *sizes), xp.result_type(g, weight))
    for samples in _together(g.shape[0], channels * math.prod(shape.kernel) * places):
        columns = xp.matmul(rows, heads[samples])
        windows = columns.reshape(columns.shape[0], channels, *shape.kernel, *g.shape[2:])
        result[samples] = scatter(xp, windows, shape, sizes)
    return result


def _spread_turned(xp: Any, g: Any, weight: Any, shape: Geometry, groups: int, sizes: Ints) -> Any:
    """Return that gradient where windows move by single elements: the correlation with the turned filters."""
    each = weight.shape[0] // groups
    filters = weight.reshape(groups, each, *weight.shape[1:]).swapaxes(1, 2)
    turned = xp.ascontiguousarray(xp.flip(filters, tuple(range(3, filters.ndim)))).reshape(-1, each, *shape.kernel)
    pads = tuple(e - 1 - p for e, p in zip(shape.extent, shape.pad, strict=True))
    return convolve(xp, g, turned, Geometry(shape.kernel, shape.stride, shape.dilate, pads), groups, None, sizes)


def _spread_over_phases(xp: Any, g: Any, weight: Any, shape: Geometry, sizes: Ints) -> Any:
    """Return that gradient where each channel has its own filter, for all phases of the strides by one product.

    Data at ``q * stride + phase`` take from the heads at ``q + tap``, by one element of the kernel if any.
    """
    axes = list(zip(shape.kernel, shape.stride, shape.dilate, shape.pad, strict=True))
    places = [[divmod(i * d - p, s) for i in range(k)] for k, s, d, p in axes]
    befores = tuple(max(0, *(step for step, _ in row)) for row in places)
    taps = tuple(before - min(0, *(step for step, _ in row)) + 1 for before, row in zip(befores, places, strict=True))
    filters = xp.zeros((len(weight), *shape.stride, *taps), weight.dtype)
    for index, _ in shape.offsets():
        phases = tuple(row[i][1] for row, i in zip(places, index, strict=True))
        steps = tuple(before - row[i][0] for before, row, i in zip(befores, places, index, strict=True))
        filters[(slice(None), *phases, *steps)] = weight[(slice(None), 0, *index)]
    counts = tuple(-(-n // s) for n, s in zip(sizes, shape.stride, strict=True))
    ones = (1,) * shape.rank
    wide = convolve(
        xp, g, filters.reshape(-1, 1, *taps), Geometry(taps, ones, ones, befores), len(weight), None, counts
    ).reshape(*g.shape[:2], *shape.stride, *counts)
    result = xp.empty((*g.shape[:2], *sizes), wide.dtype)
    for phases in itertools.product(*map(range, shape.stride)):
        place = result[(..., *(slice(a, None, s) for a, s in zip(phases, shape.stride, strict=True)))]
        place[...] = wide[(slice(None), slice(None), *phases, *(slice(n) for n in place.shape[2:]))]
    return result


def _spread_by_channel(xp: Any, g: Any, weight: Any, shape: Geometry, sizes: Ints) -> Any:
    """Return the gradient of data for one filter a channel, for dtypes that no library multiplies as matrices."""
    result = room_of(xp, g.shape, shape, sizes, xp.result_type(g, weight))
    part, ones = xp.empty(g.shape, result.dtype), (1,) * shape.rank
    for index, offset in shape.offsets():
        xp.multiply(g, weight[(slice(None), 0, *index)].reshape(-1, *ones), out=part)
        result[(..., *shape.at(offset, g.shape[2:]))] += part
    return xp.ascontiguousarray(cropped(result, shape.pad, sizes))


def weigh(xp: Any, g: Any, data: Any, shape: Geometry, groups: int) -> Any:
    """Return the gradient with respect to convolution's weight, given that of its output; channels first.

    Samples are processed one by one, because each of their products is as large as all filters together.
    """
    columns = WindowColumns(xp, data, shape, groups, g.shape[2:], _COLUMNS)
    heads = columns.widened(g).reshape(g.shape[0], groups, g.shape[1] // groups, -1)
    total = xp.zeros((groups, heads.shape[2], columns.height), g.dtype)
    for samples, some, block in columns.blocks():
        for head, column in zip(heads[samples, some], block, strict=True):
            total[some] += xp.matmul(head, column.swapaxes(1, 2))
    return total.reshape(g.shape[1], -1, *shape.kernel)


def _grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, num_group: int, **params: Any
) -> tuple[Any, ...]:
    data, weight, *bias = ins
    known = {name: params[name] for name in GEOMETRY} | {"num_group": num_group}
    into_data = F._hl_conv_data_grad(g, weight, data, **known)
    into_weight = F._hl_conv_weight_grad(g, data, weight, **known)
    return (into_data, into_weight, *(channel_sum(F, g, params["layout"]) for _ in bias))


def channel_sum(F: Any, g: Any, layout: str | None) -> Any:
    """Return a gradient summed over all axes except the channels."""
    return F.sum(g, axis=-1 if layout is not None and layout[-1] == "C" else 1, exclude=True)


def over_windows(
    xp: Any,
    data: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    num_filter: int,
    num_group: int = 1,
    no_bias: bool = False,
    layout: str | None = None,
    **_: Any,
) -> Any:
    """Convolution with channels last: products of windows and filters, summed over places and channels at once."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    source = data if shape.channels_last else with_channels_last(data)
    filters = weight if shape.channels_last else with_channels_last(weight)
    each, width = num_filter // num_group, filters.shape[-1]
    if width == each == 1:
        framed = padded(xp, shape.channels_first(xp, data), shape.pad)
        counts = shape.count_of(source.shape[1:-1])
        result = with_channels_last(_by_channel(xp, framed, shape.channels_first(xp, weight), shape, counts, None))
    else:
        windows, last = windows_of(xp, source, shape), xp.moveaxis(filters, 0, -1)
        parts = [
            xp.tensordot(
                windows[..., k * width : (k + 1) * width], last[..., k * each : (k + 1) * each], axes=shape.rank + 1
            )
            for k in range(num_group)
        ]
        result = parts[0] if num_group == 1 else xp.concatenate(parts, axis=-1)
    if bias is not None and not no_bias:
        result = result + bias
    return result if shape.channels_last else with_channels_first(result)


def _planned(
    ins: tuple[TensorType | None, ...],
    outs: tuple[TensorType, ...],
    /,
    *,
    lasting: bool,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    num_group: int,
    no_bias: bool,
    layout: str | None,
) -> BufferRecipe | None:
    """Compute with the channels last. Operators of elements that follow keep this order."""
    shape, (data, _, *bias), (result,) = geometry(kernel, stride, dilate, pad, layout), ins, outs
    if not lasting or shape.channels_last or num_group != 1 or result.dtype not in {"float32", "float64"}:
        return None
    assert data is not None
    (batch, channels, *sizes), (_, filters, *counts) = sizes_of(data), sizes_of(result)
    known = channels_last_convolution.Convolution(
        shape, batch, channels, filters, tuple(sizes), tuple(counts), result.dtype
    )
    return channels_last_convolution.recipe(known, biased=bool(bias) and bias[0] is not None and not no_bias)


@op(
    name="Convolution",
    native=over_windows,
    planned=_planned,
    infer=infer,
    complete=complete,
    grad=_grad,
    active_inputs=lambda *, no_bias: ("data", "weight") if no_bias else ("data", "weight", "bias"),
    samples=[
        sample((2, 2, 5, 4), (3, 2, 3, 2), (3,), kernel=(3, 2), num_filter=3, pad=(1, 0), stride=(2, 1)),
        sample((2, 3, 6), (2, 3, 2), kernel=(2,), num_filter=2, dilate=(2,), no_bias=True),
        sample((1, 4, 4, 4), (4, 2, 3, 3), (4,), kernel=(3, 3), num_filter=4, num_group=2, pad=(1, 1)),
        sample((2, 3, 4, 4), (3, 1, 2, 2), (3,), kernel=(2, 2), num_filter=3, num_group=3),
        sample((1, 2, 3, 3, 3), (2, 2, 2, 2, 2), (2,), kernel=(2, 2, 2), num_filter=2),
        sample((2, 3, 2, 2), (4, 3, 1, 1), (4,), kernel=(1, 1), num_filter=4),
    ],
)
def convolution(
    xp: Any,
    data: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    num_filter: int,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
    cudnn_off: bool = False,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    out: Any = None,
) -> Any:
    """Correlate data (N, C, ...) with filters (num_filter, C / num_group, *kernel) and add the bias.

    With a layout that ends in C, data, filters and result have their channels last.
    """
    shape = geometry(kernel, stride, dilate, pad, layout)
    source, filters = shape.channels_first(xp, data), shape.channels_first(xp, weight)
    result = convolve(xp, source, filters, shape, num_group, None if shape.channels_last else out)
    if bias is not None and not no_bias:
        xp.add(result, bias.reshape(-1, *(1,) * shape.rank), out=result)
    return store(xp, shape.restored(xp, result), out) if shape.channels_last else result


_ATTRIBUTES: dict[str, Any] = {"kernel": (2, 2), "stride": (2, 1), "dilate": (1, 1), "pad": (1, 0), "layout": None}


def _infer_correlate(data: TensorType, weight: TensorType, **params: Any) -> TensorType:
    shape = geometry(*(params[name] for name in GEOMETRY))
    batch, _, sizes = shape.sizes_of(data)
    filters = Dim.fresh() if weight.shape is None else weight.shape[0]
    return data.with_shape(shape.arrange(batch, filters, shape.count(sizes)))


@op(
    infer=_infer_correlate,
    native=lambda xp, data, weight, /, **params: over_windows(xp, data, weight, **params, num_filter=weight.shape[0]),
    grad=lambda F, g, ins, outs, **params: (
        F._hl_conv_data_grad(g, ins[1], ins[0], **params),
        F._hl_conv_weight_grad(g, ins[0], ins[1], **params),
    ),
    samples=[sample((2, 2, 5, 4), (3, 2, 2, 2), **_ATTRIBUTES)],
)
def _hl_correlate(
    xp: Any,
    data: Any,
    weight: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    layout: str | None,
    num_group: int = 1,
) -> Any:
    """Convolution that takes its number of filters from the weight."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    result = convolve(xp, shape.channels_first(xp, data), shape.channels_first(xp, weight), shape, num_group)
    return shape.restored(xp, result)


@op(
    infer=lambda g, weight, data: data,
    native=spread_products,
    grad=lambda F, g, ins, outs, **params: (
        F._hl_correlate(g, ins[1], **params),
        F._hl_conv_weight_grad(ins[0], g, ins[1], **params),
        None,
    ),
    samples=[sample((2, 3, 3, 3), (3, 2, 2, 2), (2, 2, 5, 4), **_ATTRIBUTES)],
)
def _hl_conv_data_grad(
    xp: Any,
    g: Any,
    weight: Any,
    data: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    layout: str | None,
    num_group: int = 1,
) -> Any:
    """Return the gradient with respect to Convolution's data from that of its output."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    sizes = data.shape[1:-1] if shape.channels_last else data.shape[2:]
    heads, filters = shape.channels_first(xp, g), shape.channels_first(xp, weight)
    return shape.restored(xp, spread(xp, heads, filters, shape, num_group, sizes))


@op(
    infer=lambda g, data, weight: weight,
    native=weigh_products,
    grad=lambda F, g, ins, outs, **params: (
        F._hl_correlate(ins[1], g, **params),
        F._hl_conv_data_grad(ins[0], g, ins[1], **params),
        None,
    ),
    samples=[sample((2, 3, 3, 3), (2, 2, 5, 4), (3, 2, 2, 2), **_ATTRIBUTES)],
)
def _hl_conv_weight_grad(
    xp: Any,
    g: Any,
    data: Any,
    weight: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    layout: str | None,
    num_group: int = 1,
) -> Any:
    """Return the gradient with respect to Convolution's weight from that of its output."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    result = weigh(xp, shape.channels_first(xp, g), shape.channels_first(xp, data), shape, num_group)
    return shape.restored(xp, result)
