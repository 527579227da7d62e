"""Pooling of regions of interest, each (batch index, x1, y1, x2, y2)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.blocks import blocks
from hybridlint.runtime.ops.type_rules import exact_quotient, require_rank

#: So many elements of windows are copied at once.
_AT_ONCE = 1 << 20
#: What samples draw is both batch index and coordinate.
_WITHIN: dict[str, Any] = {"low": 0.0, "high": 5.9}


def _infer(data: TensorType, rois: TensorType, *, pooled_size: Ints, position_sensitive: bool = False) -> TensorType:
    require_rank(data, [4])
    require_rank(rois, [2], "rois")
    if len(pooled_size) != 2:
        raise InferError("pooled_size", f"expected 2 numbers, got {pooled_size}")
    if rois.shape is not None and differ(rois.shape[1], 5):
        raise InferError("rois", f"expected 5 numbers for each region, got {rois}")
    channels = Dim.fresh() if data.shape is None else data.shape[1]
    if position_sensitive:
        channels = exact_quotient([channels], pooled_size, "data")
    count = Dim.fresh() if rois.shape is None else rois.shape[0]
    return data.with_shape((count, channels, *pooled_size))


def rounded(number: float) -> int:
    """Return a number rounded to the nearest integer, halves away from zero, as C does."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def _ranges(xp: Any, first: Any, last: Any, scale: float, bins: int, size: int) -> tuple[Any, Any]:
    """Return the begins and the ends (regions, bins) of bins along an axis, clipped to the data."""
    start, end = (xp.copysign(xp.floor(xp.abs(edge) + 0.5), edge)[:, None] for edge in (first * scale, last * scale))
    step = xp.maximum(end - start + 1, 1) / bins
    limits = start + xp.floor(xp.arange(bins) * step), start + xp.ceil((xp.arange(bins) + 1) * step)
    begins, ends = (xp.clip(limit, 0, size).astype("int64") for limit in limits)
    return begins, ends


def _inside(rois: Any, images: int) -> Any:
    """Return which regions lie in an image that there is."""
    return (rois[:, 0] >= 0) & (rois[:, 0] < images)


def _windows(xp: Any, rois: Any, pooled_size: Ints, scale: float, shape: Ints) -> Iterator[tuple[Any, Any]]:
    """Iterate over all bins that are not empty, those of one size at once, in pieces of limited size.

    Yields the numbers of bins in the output, channels apart, and the places of their elements in the images, row by
    row: (bins,) and (bins, elements).
    """
    rois = rois.astype("float64")
    top, bottom = _ranges(xp, rois[:, 2], rois[:, 4], scale, pooled_size[0], shape[2])
    left, right = _ranges(xp, rois[:, 1], rois[:, 3], scale, pooled_size[1], shape[3])
    heights = xp.where(_inside(rois, shape[0])[:, None], bottom - top, 0)
    tall, wide = (size.reshape(-1) for size in xp.broadcast_arrays(heights[:, :, None], (right - left)[:, None, :]))
    corners = (rois[:, 0].astype("int64")[:, None, None] * shape[2] + top[:, :, None]) * shape[3] + left[:, None, :]
    numbers = xp.flatnonzero((tall > 0) & (wide > 0))
    sizes, of_size = xp.unique(xp.stack([tall[numbers], wide[numbers]]), axis=1, return_inverse=True)
    for group, (height, width) in enumerate(sizes.T.tolist()):
        members = numbers[of_size.reshape(-1) == group]
        inner = (xp.arange(height)[:, None] * shape[3] + xp.arange(width)).reshape(-1)
        most = max(_AT_ONCE // (height * width * shape[1]), 1)
        for part in blocks(len(members), most):
            yield members[part], corners.reshape(-1)[members[part], None] + inner


def _by_pixel(xp: Any, data: Any) -> Any:
    """Return images as pixels: (N * H * W, C)."""
    return xp.ascontiguousarray(xp.moveaxis(data, 1, -1)).reshape(-1, data.shape[1])


def _by_channel(xp: Any, pixels: Any, shape: Ints) -> Any:
    """Return pixels as images of a shape (N, C, H, W)."""
    return xp.ascontiguousarray(xp.moveaxis(pixels.reshape(shape[0], *shape[2:], shape[1]), -1, 1))


@op(
    name="ROIPooling",
    infer=_infer,
    grad=lambda F, g, ins, outs, **params: (F._hl_roi_pooling_grad(g, *ins, **params), None),
    samples=[
        sample((6, 2, 6, 6), (3, 5), pooled_size=(2, 2), spatial_scale=1.0, **_WITHIN),
        sample((6, 1, 5, 4), (3, 5), pooled_size=(3, 2), spatial_scale=0.7, **_WITHIN),
    ],
)
def roi_pooling(xp: Any, data: Any, rois: Any, /, *, pooled_size: Ints, spatial_scale: float) -> Any:
    """Return the largest element of each bin of each region: (regions, C, *pooled_size); 0 for empty bins."""
    pixels, count = _by_pixel(xp, data), rois.shape[0]
    result = xp.zeros((count * pooled_size[0] * pooled_size[1], data.shape[1]), data.dtype)
    for numbers, places in _windows(xp, rois, pooled_size, spatial_scale, data.shape):
        result[numbers] = xp.take(pixels, places, axis=0).max(axis=1)
    return _by_channel(xp, result, (count, data.shape[1], *pooled_size))


@op(
    infer=lambda g, data, rois: data,
    samples=[sample((1, 1, 2, 2), (6, 1, 4, 4), (1, 5), pooled_size=(2, 2), spatial_scale=1.0, **_WITHIN)],
)
def _hl_roi_pooling_grad(xp: Any, g: Any, data: Any, rois: Any, /, *, pooled_size: Ints, spatial_scale: float) -> Any:
    """Return the gradient with respect to ROIPooling's data."""
    pixels, heads = _by_pixel(xp, data), _by_pixel(xp, g)
    channels, total = xp.arange(data.shape[1]), xp.zeros(data.size, "float64")
    for numbers, places in _windows(xp, rois, pooled_size, spatial_scale, data.shape):
        first = _first_largest(xp, xp.take(pixels, places, axis=0))
        chosen = xp.take_along_axis(places, first, axis=1) * len(channels) + channels
        total += xp.bincount(chosen.reshape(-1), heads[numbers].reshape(-1), len(total))
    return _by_channel(xp, total.astype(data.dtype), data.shape)


def _first_largest(xp: Any, windows: Any) -> Any:
    """Return the places of the first largest elements of windows (bins, elements, C) along the elements.

    Bytes and short numbers are compared many at once; argmax looks at each column of elements by itself.
    """
    count = windows.shape[1]
    if count >= 1 << 16 or windows.dtype.kind != "f":
        return windows.argmax(axis=1)
    ranks = xp.arange(count, 0, -1, dtype="uint8" if count < 1 << 8 else "uint16")
    largest = windows.max(axis=1, keepdims=True)
    # What is no number is the largest, and differs from itself.
    equal = (windows == largest) | (windows != windows)  # noqa: PLR0124
    return count - (equal * ranks[:, None]).max(axis=1).astype("int64")


def _weights(xp: Any, start: Any, length: Any, bins: int, samples: int, size: int) -> Any:
    """Return matrices (regions, bins, size) that average the interpolated samples of each bin.

    Samples outside count as 0.
    """
    step = length / bins
    each = xp.full(start.shape, samples) if samples > 0 else xp.maximum(xp.ceil(step), 1).astype("int64")
    counts = each * bins
    regions = xp.repeat(xp.arange(len(start)), counts.tolist())
    number = xp.arange(len(regions)) - (xp.cumsum(counts) - counts)[regions]
    places = start[regions] + (number + 0.5) * (step / each)[regions]
    outside = (places < -1) | (places > size)
    places = xp.clip(places, 0, size - 1)
    low = xp.floor(places)
    share, whole = places - low, xp.where(outside, 0, 1 / each[regions])
    at = (regions * bins + number // each[regions]) * size + low.astype("int64")
    # The element behind the last one has no share.
    behind = at + (low < size - 1)
    weights = xp.concatenate([(1 - share) * whole, share * whole])
    return xp.bincount(xp.concatenate([at, behind]), weights, len(start) * bins * size).reshape(-1, bins, size)


def _touched(xp: Any, matrices: Any) -> list[slice]:
    """Return the part of an axis that has weights in each of some matrices (regions, bins, size)."""
    used = (matrices != 0).any(axis=1)
    begins, ends = used.argmax(axis=1), used.shape[1] - used[:, ::-1].argmax(axis=1)
    bounds = zip(begins.tolist(), ends.tolist(), used.any(axis=1).tolist(), strict=True)
    return [slice(begin, end if some else begin) for begin, end, some in bounds]


def _regions(
    xp: Any, data: Any, rois: Any, pooled_size: Ints, scale: float, sample_ratio: int, aligned: bool
) -> Iterator[tuple[int, int, slice, Any, Any]]:
    """Iterate over the regions that lie in an image.

    Yields the region's number, that of its image, the rows that it touches, and its averaging matrices: for these rows,
    and for all columns.
    """
    (members,) = xp.nonzero(_inside(rois, data.shape[0]))
    index, x1, y1, x2, y2 = rois[members].astype("float64").T
    offset = 0.5 if aligned else 0.0
    x1, y1, x2, y2 = (edge * scale - offset for edge in (x1, y1, x2, y2))
    height, width = y2 - y1, x2 - x1
    if not aligned:
        height, width = xp.maximum(height, 1.0), xp.maximum(width, 1.0)
    dtype = "float64" if data.dtype == "float64" else "float32"
    rows = _weights(xp, y1, height, pooled_size[0], sample_ratio, data.shape[2]).astype(dtype)
    columns = _weights(xp, x1, width, pooled_size[1], sample_ratio, data.shape[3]).astype(dtype)
    numbers = zip(members.tolist(), index.tolist(), _touched(xp, rows), strict=True)
    for at, (number, image, touched) in enumerate(numbers):
        if touched.start < touched.stop:
            yield number, int(image), touched, rows[at][:, touched], columns[at]


@op(
    name="_contrib_ROIAlign",
    infer=_infer,
    grad=lambda F, g, ins, outs, **params: (F._hl_roi_align_grad(g, *ins, **params), None),
    samples=[
        sample((6, 2, 6, 6), (3, 5), pooled_size=(2, 2), spatial_scale=1.0, **_WITHIN),
        sample((6, 1, 5, 4), (3, 5), pooled_size=(3, 2), spatial_scale=0.7, sample_ratio=2, **_WITHIN),
        sample((6, 4, 6, 6), (2, 5), pooled_size=(2, 2), spatial_scale=1.0, position_sensitive=True, **_WITHIN),
    ],
)
def roi_align(
    xp: Any,
    data: Any,
    rois: Any,
    /,
    *,
    pooled_size: Ints,
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> Any:
    """Average interpolated samples of each bin of each region: (regions, C, *pooled_size).

    With `position_sensitive`, each bin reads its own channels: the data have C * bins channels.
    """
    bins = pooled_size[0] * pooled_size[1]
    channels = data.shape[1] // bins if position_sensitive else data.shape[1]
    result = xp.zeros((rois.shape[0], channels, *pooled_size), data.dtype)
    regions = _regions(xp, data, rois, pooled_size, spatial_scale, sample_ratio, aligned)
    if position_sensitive:
        for k, image, touched, rows, columns in regions:
            source = data[image].reshape(channels, *pooled_size, *data.shape[2:])[..., touched, :]
            result[k] = xp.einsum("ih,jw,cijhw->cij", rows, columns, source)
        return result
    # With the channels last, the rows of a region are one matrix.
    lines = xp.ascontiguousarray(xp.moveaxis(data, 1, -1))
    for k, image, touched, rows, columns in regions:
        source = lines[image, touched].reshape(rows.shape[1], -1)
        pooled = xp.matmul(columns, xp.matmul(rows, source).reshape(len(rows), -1, channels))
        result[k] = xp.moveaxis(pooled, -1, 0)
    return result


@op(
    infer=lambda g, data, rois: data,
    samples=[
        sample((1, 1, 2, 2), (6, 1, 4, 4), (1, 5), pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2, **_WITHIN)
    ],
)
def _hl_roi_align_grad(
    xp: Any,
    g: Any,
    data: Any,
    rois: Any,
    /,
    *,
    pooled_size: Ints,
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> Any:
    """Return the gradient with respect to ROIAlign's data."""
    regions = _regions(xp, data, rois, pooled_size, spatial_scale, sample_ratio, aligned)
    if position_sensitive:
        into = xp.zeros_like(data)
        for k, image, touched, rows, columns in regions:
            place = into[image].reshape(-1, *pooled_size, *data.shape[2:])[..., touched, :]
            place += xp.einsum("ih,jw,cij->cijhw", rows, columns, g[k])
        return into
    heads = xp.ascontiguousarray(xp.moveaxis(g, 1, -1))
    lines = xp.zeros((data.shape[0], *data.shape[2:], data.shape[1]), data.dtype)
    for k, image, touched, rows, columns in regions:
        spread = xp.matmul(columns.T, heads[k]).reshape(len(rows), -1)
        lines[image, touched] += xp.matmul(rows.T, spread).reshape(-1, *lines.shape[2:])
    return xp.ascontiguousarray(xp.moveaxis(lines, -1, 1))
