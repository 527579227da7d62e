"""Pooling of regions of interest, each (batch index, x1, y1, x2, y2)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.type_rules import exact_quotient, require_rank

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


def _ranges(first: float, last: float, scale: float, bins: int, size: int) -> list[tuple[int, int]]:
    """Return the (begin, end) elements of each bin of a region along an axis, clipped to the data."""
    start, end = rounded(first * scale), rounded(last * scale)
    step = max(end - start + 1, 1) / bins
    limits = ((start + math.floor(k * step), start + math.ceil((k + 1) * step)) for k in range(bins))
    return [(min(max(a, 0), size), min(max(b, 0), size)) for a, b in limits]


def _bins(rois: Any, pooled_size: Ints, scale: float, shape: Ints) -> Iterator[tuple[Ints, int, Any]]:
    """Iterate over all bins that are not empty.

    Yields (region, row, column) in the output, the batch index, and the slices of height and width.
    """
    for k, (index, x1, y1, x2, y2) in enumerate(rois.tolist()):
        if not 0 <= index < shape[0]:
            continue
        columns = _ranges(x1, x2, scale, pooled_size[1], shape[3])
        for i, (top, bottom) in enumerate(_ranges(y1, y2, scale, pooled_size[0], shape[2])):
            for j, (left, right) in enumerate(columns):
                if top < bottom and left < right:
                    yield (k, i, j), int(index), (slice(top, bottom), slice(left, right))


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
    result = xp.zeros((rois.shape[0], data.shape[1], *pooled_size), data.dtype)
    for (k, i, j), index, (rows, columns) in _bins(rois, pooled_size, spatial_scale, data.shape):
        result[k, :, i, j] = data[index, :, rows, columns].max(axis=(1, 2))
    return result


@op(
    infer=lambda g, data, rois: data,
    samples=[sample((1, 1, 2, 2), (6, 1, 4, 4), (1, 5), pooled_size=(2, 2), spatial_scale=1.0, **_WITHIN)],
)
def _hl_roi_pooling_grad(xp: Any, g: Any, data: Any, rois: Any, /, *, pooled_size: Ints, spatial_scale: float) -> Any:
    """Return the gradient with respect to ROIPooling's data."""
    into = xp.zeros_like(data)
    channels = xp.arange(data.shape[1])
    for (k, i, j), index, (rows, columns) in _bins(rois, pooled_size, spatial_scale, data.shape):
        part = data[index, :, rows, columns]
        row, column = xp.divmod(part.reshape(len(channels), -1).argmax(axis=1), part.shape[2])
        into[index, channels, rows.start + row, columns.start + column] += g[k, :, i, j]
    return into


def _weights(xp: Any, start: float, length: float, bins: int, samples: int, size: int) -> Any:
    """Return the matrix (bins, size) that averages the interpolated samples of each bin; samples outside count as 0."""
    step = length / bins
    per_bin = samples if samples > 0 else max(math.ceil(step), 1)
    places = start + (xp.arange(bins * per_bin) + 0.5) * (step / per_bin)
    outside = (places < -1) | (places > size)
    places = xp.clip(places, 0, size - 1)
    low = xp.floor(places)
    share, columns = (places - low)[:, None], xp.arange(size)[None, :]
    matrix = (columns == low[:, None]) * (1 - share) + (columns == low[:, None] + 1) * share
    return xp.where(outside[:, None], 0, matrix).reshape(bins, per_bin, size).mean(axis=1)


def _region(
    xp: Any, roi: list[float], pooled_size: Ints, scale: float, sample_ratio: int, aligned: bool, sizes: Ints
) -> tuple[Any, Any]:
    """Return the averaging matrices of a region, for rows and for columns."""
    offset = 0.5 if aligned else 0.0
    x1, y1, x2, y2 = (number * scale - offset for number in roi)
    height, width = (y2 - y1, x2 - x1) if aligned else (max(y2 - y1, 1.0), max(x2 - x1, 1.0))
    rows = _weights(xp, y1, height, pooled_size[0], sample_ratio, sizes[0])
    return rows, _weights(xp, x1, width, pooled_size[1], sample_ratio, sizes[1])


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
    for k, (index, *roi) in enumerate(rois.tolist()):
        if not 0 <= index < data.shape[0]:
            continue
        rows, columns = _region(xp, roi, pooled_size, spatial_scale, sample_ratio, aligned, data.shape[2:])
        source = data[int(index)]
        if position_sensitive:
            source = source.reshape(channels, *pooled_size, *data.shape[2:])
            result[k] = xp.einsum("ih,jw,cijhw->cij", rows, columns, source)
        else:
            result[k] = xp.matmul(rows, xp.matmul(source, columns.T))
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
    into = xp.zeros_like(data)
    for k, (index, *roi) in enumerate(rois.tolist()):
        if not 0 <= index < data.shape[0]:
            continue
        rows, columns = _region(xp, roi, pooled_size, spatial_scale, sample_ratio, aligned, data.shape[2:])
        if position_sensitive:
            into[int(index)] += xp.einsum("ih,jw,cij->cijhw", rows, columns, g[k]).reshape(data.shape[1:])
        else:
            into[int(index)] += xp.matmul(rows.T, xp.matmul(g[k], columns))
    return into
