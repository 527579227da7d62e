"""The gradients of convolution as sums of products over views, the form from which native code is made."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.facts.types import Ints
from hybridlint.runtime.ops.windows.geometry import Geometry, geometry, with_channels_first, with_channels_last


def windows_of(xp: Any, source: Any, shape: Geometry) -> Any:
    """View data (N, ..., C) as windows (N, *counts, *kernel, C)."""
    frame = [(p, p) for p in shape.pad]
    framed = xp.pad(source, [(0, 0), *frame, (0, 0)]) if any(shape.pad) else source
    spatial = tuple(range(1, 1 + shape.rank))
    found = xp.lib.stride_tricks.sliding_window_view(framed, shape.extent, axis=spatial)
    outer = [slice(None, None, s) for s in shape.stride]
    inner = [slice(None, None, d) for d in shape.dilate]
    return xp.moveaxis(found[(slice(None), *outer, slice(None), *inner)], 1 + shape.rank, -1)


def weigh_products(
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
    """Gradient of the filters: products of data and heads, summed over samples and places."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    source, heads = (t if shape.channels_last else with_channels_last(t) for t in (data, g))
    rank, places = shape.rank, shape.rank + 1
    counts = heads.shape[1:-1]
    windows = windows_of(xp, source, shape)[(slice(None), *(slice(n) for n in counts))]
    # (*kernel, C, N, *counts) and (N, *counts, F)
    last = windows.ndim - 1
    left = windows.transpose((*range(places, places + rank), last, *range(places)))
    width, each = left.shape[rank] // num_group, heads.shape[-1] // num_group
    if width == each == 1:
        sums = _by_channel(xp, left, heads, rank)
    else:
        lefts = [left[(..., slice(k * width, (k + 1) * width), *(slice(None),) * places)] for k in range(num_group)]
        parts = [xp.tensordot(part, heads[..., k * each : (k + 1) * each], axes=places) for k, part in enumerate(lefts)]
        sums = parts[0] if num_group == 1 else xp.concatenate(parts, axis=-1)
    # (*kernel, C / groups, F) as filters (F, *kernel, C / groups) or (F, C / groups, *kernel)
    filters = xp.moveaxis(sums, -1, 0)
    return filters if shape.channels_last else with_channels_first(filters)


def _by_channel(xp: Any, left: Any, heads: Any, rank: int) -> Any:
    """Return (*kernel, 1, C) for filters of one channel each, whose products are no matrices."""
    axes = tuple(range(heads.ndim - 1))
    sums = []
    for index in itertools.product(*map(range, left.shape[:rank])):
        shown = xp.moveaxis(left[index], 0, -1)
        sums.append((shown * heads).sum(axis=axes))
    return xp.stack(sums).reshape((*left.shape[:rank], 1, heads.shape[-1]))


@dataclass(frozen=True, slots=True)
class _Phase:
    """Along one axis: every `stride`-th position of the data, and the elements of the kernel that reach it.

    Element ``taps[t]`` connects position number q with the output ``first + q - t * hop``, where q counts from 0.
    """

    start: int
    count: int
    taps: range
    first: int
    hop: int


def _phases(size: int, kernel: int, stride: int, dilate: int, pad: int) -> Iterator[_Phase]:
    """Yield the phases of an axis that some element of the kernel reaches."""
    period = stride // math.gcd(stride, dilate)
    for start in range(min(stride, size)):
        remainder = (start + pad) % stride
        reaching = [k for k in range(min(period, kernel)) if k * dilate % stride == remainder]
        if reaching:
            taps = range(reaching[0], kernel, period)
            first = (start + pad - reaching[0] * dilate) // stride
            yield _Phase(start, len(range(start, size, stride)), taps, first, period * dilate // stride)


def spread_products(
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
    """Gradient of the data: convolutions of the heads, one for each phase of the strides, with turned filters."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    sizes = data.shape[1:-1] if shape.channels_last else data.shape[2:]
    return spread_over_phases(xp, g, weight, shape, num_group, sizes)


def spread_over_phases(xp: Any, g: Any, weight: Any, shape: Geometry, num_group: int, sizes: Ints) -> Any:
    """Return what convolution's data of these spatial sizes gets from its output's gradient, in the layout of both."""
    heads, filters = (t if shape.channels_last else with_channels_last(t) for t in (g, weight))
    rows = zip(sizes, shape.kernel, shape.stride, shape.dilate, shape.pad, strict=True)
    found = list(itertools.product(*(list(_phases(*row)) for row in rows)))
    into = None
    for phases in found:
        part = _part(xp, heads, filters, phases, num_group)
        if all(n == p.count for n, p in zip(sizes, phases, strict=True)):
            into = part
            break
        if into is None:
            into = xp.zeros((part.shape[0], *sizes, part.shape[-1]), g.dtype)
        place = tuple(slice(p.start, None, s) for p, s in zip(phases, shape.stride, strict=True))
        xp.add.at(into, (slice(None), *place, slice(None)), part)
    return into if shape.channels_last else with_channels_first(into)


def _part(xp: Any, heads: Any, filters: Any, phases: tuple[_Phase, ...], groups: int) -> Any:
    """Return the gradient (N, *counts, C) of the data in one phase, given heads and filters with channels last."""
    rank = len(phases)
    widths, cut = [(0, 0)], [slice(None)]
    for size, p in zip(heads.shape[1:-1], phases, strict=True):
        begin = p.first - (len(p.taps) - 1) * p.hop
        end = p.first + p.count
        widths.append((max(-begin, 0), max(end - size, 0)))
        cut.append(slice(max(begin, 0), min(end, size)))
    if any(part.stop <= part.start for part in cut[1:]):
        each = filters.shape[-1] * groups
        return xp.zeros((heads.shape[0], *(p.count for p in phases), each), heads.dtype)
    shown = heads[tuple(cut)]
    framed = xp.pad(shown, [*widths, (0, 0)]) if any(map(any, widths)) else shown
    extent = tuple((len(p.taps) - 1) * p.hop + 1 for p in phases)
    found = xp.lib.stride_tricks.sliding_window_view(framed, extent, axis=tuple(range(1, 1 + rank)))
    hops = [slice(None, None, p.hop) for p in phases]
    windows = xp.moveaxis(found[(slice(None), *(slice(None),) * rank, slice(None), *hops)], 1 + rank, -1)
    # Heads come in the order of places, in which the elements of the kernel go backwards.
    turned = filters[(slice(None), *(slice(p.taps.start, None, p.taps.step) for p in phases))]
    turned = xp.moveaxis(xp.flip(turned, axis=tuple(range(1, 1 + rank))), 0, -2)
    each, width = filters.shape[0] // groups, filters.shape[-1]
    if each == width == 1:
        return _channel_by_channel(windows, turned, rank)
    parts = [
        xp.tensordot(windows[..., k * each : (k + 1) * each], turned[..., k * each : (k + 1) * each, :], axes=rank + 1)
        for k in range(groups)
    ]
    return parts[0] if groups == 1 else xp.concatenate(parts, axis=-1)


def _channel_by_channel(windows: Any, turned: Any, rank: int) -> Any:
    """Return the gradient of the data where each filter has one channel: products summed over the kernel."""
    total = None
    for index in itertools.product(*map(range, turned.shape[:rank])):
        term = windows[(..., *index, slice(None))] * turned[(*index, slice(None), 0)]
        total = term if total is None else total + term
    return total
