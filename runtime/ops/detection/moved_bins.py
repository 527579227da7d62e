"""Pooling of regions of interest whose bins are shifted or rotated: each bin averages interpolated samples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.detection.position_sensitive import WITHIN, group_of, infer_bins
from hybridlint.runtime.ops.detection.regions import rounded
from hybridlint.runtime.ops.type_rules import require_equal, require_rank
from hybridlint.runtime.ops.vision.bilinear import Corner, corners, pull, read


@dataclass(frozen=True, eq=False, slots=True)
class _Layout:
    """The settings of a pooling.

    `bins`, `group` and `part` are the numbers of bins, channel groups and shift parts along an axis; `each` is the
    number of samples along one axis of a bin; `scale` maps image coordinates to the data, `reach` scales the shifts.
    """

    scale: float
    bins: int
    group: int
    part: int
    each: int
    reach: float

    def parts(self, xp: Any) -> tuple[Any, Any]:
        """Return the index of the shift part of each bin along y, and along x: two arrays (bins ** 2,)."""
        numbers = xp.arange(self.bins) * self.part // self.bins
        return xp.repeat(numbers, self.bins), xp.tile(numbers, self.bins)

    def side(self, first: float, last: float) -> tuple[float, float]:
        """Return the start and the length (at least 0.1) of a region along an axis, in elements."""
        start = rounded(first) * self.scale - 0.5
        return start, max((rounded(last) + 1) * self.scale - 0.5 - start, 0.1)

    def places(self, xp: Any, own: Any, side: tuple[float, float], moved: Any, inner: Any) -> Any:
        """Return the positions (bins ** 2, each ** 2) of all samples of a region along an axis.

        `own` is the index of each bin along the axis, `side` the region's start and length, `moved` the shift of each
        bin, and `inner` the index of each sample in its bin.
        """
        start, length = side
        step = length / self.bins
        begin = start + own * step + moved * self.reach * length
        return begin[:, None] + inner * (step / self.each)


@dataclass(frozen=True, eq=False, slots=True)
class _Sampling:
    """The samples of a region: the elements around each, and whether each lies in the image.

    `free` tells, for y and x, whether a sample moves with its bin; a sample clipped to the border does not.
    """

    around: list[Corner]
    counted: Any
    free: tuple[Any, Any]

    @property
    def number(self) -> Any:
        """The number of samples of each bin that lie in the image, at least 1."""
        return self.counted.sum(axis=1).clip(1)


def _sampling(xp: Any, layout: _Layout, roi: list[float], shift: Any, sizes: Any) -> _Sampling:
    """Return the samples of the region `roi` (x1, y1, x2, y2), with bins moved by `shift` in x and y.

    `shift` has the shape (2, parts, parts).
    """
    bins, inner = xp.arange(layout.bins), xp.arange(layout.each)
    part = layout.parts(xp)
    y = layout.places(
        xp, xp.repeat(bins, layout.bins), layout.side(roi[1], roi[3]), shift[1][part], xp.repeat(inner, layout.each)
    )
    x = layout.places(
        xp, xp.tile(bins, layout.bins), layout.side(roi[0], roi[2]), shift[0][part], xp.tile(inner, layout.each)
    )
    counted = (x >= -0.5) & (x <= sizes[1] - 0.5) & (y >= -0.5) & (y <= sizes[0] - 0.5)
    held_y, held_x = xp.clip(y, 0, sizes[0] - 1), xp.clip(x, 0, sizes[1] - 1)
    return _Sampling(list(corners(xp, held_y, held_x, sizes)), counted, (held_y == y, held_x == x))


def _check_shift(trans: TensorType | None, rois: TensorType, part: int, output_dim: int) -> None:
    if trans is None or trans.shape is None:
        return
    require_rank(trans, [4], "trans")
    if rois.shape is not None:
        require_equal(rois.shape[0], trans.shape[0], "trans", "number of regions")
    channels = trans.shape[1]
    if isinstance(channels, int) and (channels % 2 or output_dim % (channels // 2)):
        raise InferError("trans", f"{channels} channels are not pairs for classes of {output_dim} channels")
    for axis in (2, 3):
        require_equal(part, trans.shape[axis], "trans", "number of parts")


def _infer(
    data: TensorType,
    rois: TensorType,
    trans: TensorType | None = None,
    *,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int,
    no_trans: bool,
) -> TensorType:
    result = infer_bins(data, rois, output_dim=output_dim, pooled_size=pooled_size, group_size=group_size)
    _check_shift(None if no_trans else trans, rois, part_size or pooled_size, output_dim)
    return result


def _channels(xp: Any, image: Any, layout: _Layout, first: int, count: int) -> Any:
    """Return `count` channels from `first` on, of the channel group of each bin: (bins ** 2, count, height, width)."""
    source = image.reshape(-1, layout.group, layout.group, *image.shape[1:])[first : first + count]
    chosen = group_of(layout.bins, layout.group)
    return xp.stack([source[:, i, j] for i in chosen for j in chosen])


def _classes(
    xp: Any, data: Any, rois: Any, trans: Any, layout: _Layout, output_dim: int
) -> Iterator[tuple[int, int, int, slice, _Sampling, Any]]:
    """Iterate over regions and classes.

    Yields the indices of region, example and class, the slice of output channels, the samples, and the channels of each
    bin.
    """
    parts = (len(rois), 2, layout.part, layout.part)
    shifts = xp.zeros(parts) if trans is None else trans
    count = output_dim // (shifts.shape[1] // 2)
    for k, (index, *roi) in enumerate(rois.tolist()):
        for c in range(shifts.shape[1] // 2):
            taken = _sampling(xp, layout, roi, shifts[k, 2 * c : 2 * c + 2], data.shape[2:])
            bins = _channels(xp, data[int(index)], layout, c * count, count)
            yield k, int(index), c, slice(c * count, (c + 1) * count), taken, bins


_SIZES: dict[str, Any] = {"output_dim": 2, "group_size": 2, "pooled_size": 2, "part_size": 2, "sample_per_part": 2}

_UNGROUPED: dict[str, Any] = {"output_dim": 1, "group_size": 1, "pooled_size": 3}


@op(
    name="_contrib_DeformablePSROIPooling",
    infer=_infer,
    active_inputs=lambda *, no_trans: ("data", "rois") if no_trans else ("data", "rois", "trans"),
    grad=lambda F, g, ins, outs, *, no_trans, **params: (
        (F._hl_deformable_psroi_grad(g, *ins[:2], **params), None, *(None,) * (len(ins) - 2))
        if no_trans
        else _spread(F._hl_deformable_psroi_trans_grad(g, *ins, **params))
    ),
    samples=[
        sample((6, 8, 6, 6), (2, 5), (2, 4, 2, 2), spatial_scale=0.9, trans_std=0.1, **_SIZES, **WITHIN),
        sample((6, 8, 6, 6), (2, 5), spatial_scale=0.9, no_trans=True, **_SIZES, **WITHIN),
        sample((6, 1, 6, 6), (2, 5), (2, 2, 3, 3), spatial_scale=0.9, trans_std=0.1, **_UNGROUPED, **WITHIN),
    ],
)
def deformable_psroi_pooling(
    xp: Any,
    data: Any,
    rois: Any,
    trans: Any = None,
    /,
    *,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
    no_trans: bool = False,
) -> Any:
    """Average samples of each bin of each region over the bin's own channels; `trans` shifts the bins.

    `trans` (regions, 2 * classes, part_size, part_size) holds x and y shifts for each class and part; `trans_std` times
    the size of the region is their unit.
    """
    layout = _Layout(spatial_scale, pooled_size, group_size, part_size or pooled_size, sample_per_part, trans_std)
    result = xp.zeros((len(rois), output_dim, pooled_size, pooled_size), data.dtype)
    shifts = None if no_trans else trans
    for k, _, _, own, taken, bins in _classes(xp, data, rois, shifts, layout, output_dim):
        values = read(xp, bins, iter(taken.around)) * taken.counted[:, None]
        means = values.sum(axis=2) / taken.number[:, None]
        result[k, own] = means.T.reshape(-1, pooled_size, pooled_size)
    return result


def _spread(pair: Any) -> tuple[Any, ...]:
    return pair[0], None, pair[1]


def _pulled(xp: Any, g: Any, data: Any, rois: Any, trans: Any, layout: _Layout, output_dim: int) -> tuple[Any, Any]:
    """Return the gradients with respect to data and trans; None for trans if there is none."""
    into = xp.zeros_like(data)
    into_trans = None if trans is None else xp.zeros_like(trans)
    chosen, part = group_of(layout.bins, layout.group), layout.parts(xp)
    grouped = into.reshape(len(data), -1, layout.group, layout.group, *data.shape[2:])
    for k, index, c, own, taken, bins in _classes(xp, data, rois, trans, layout, output_dim):
        heads = g[k, own].reshape(bins.shape[1], -1).T / taken.number[:, None]
        head = heads[:, :, None] * taken.counted[:, None]
        into_bins, into_y, into_x = pull(xp, head, bins, iter(taken.around))
        for number, values in enumerate(into_bins):
            grouped[index, own, chosen[number // layout.bins], chosen[number % layout.bins]] += values
        if into_trans is not None:
            roi = rois[k, 1:].tolist()
            for axis, (slopes, free) in enumerate(((into_x, taken.free[1]), (into_y, taken.free[0]))):
                length = layout.side(roi[axis], roi[axis + 2])[1]
                moved = (slopes * free).sum(axis=1) * layout.reach * length
                xp.add.at(into_trans, (k, 2 * c + axis, *part), moved.astype(into_trans.dtype))
    return into, into_trans


@op(
    infer=lambda g, data, rois: data,
    samples=[sample((2, 2, 2, 2), (6, 8, 4, 4), (2, 5), spatial_scale=0.9, **_SIZES, **WITHIN)],
)
def _hl_deformable_psroi_grad(
    xp: Any,
    g: Any,
    data: Any,
    rois: Any,
    /,
    *,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
) -> Any:
    """Return the gradient with respect to DeformablePSROIPooling's data, without shifts."""
    layout = _Layout(spatial_scale, pooled_size, group_size, part_size or pooled_size, sample_per_part, trans_std)
    return _pulled(xp, g, data, rois, None, layout, output_dim)[0]


@op(
    infer=lambda g, data, rois, trans: (data, trans),
    outputs=2,
    samples=[sample((2, 2, 2, 2), (6, 8, 4, 4), (2, 5), (2, 2, 2, 2), spatial_scale=0.9, **_SIZES, **WITHIN)],
)
def _hl_deformable_psroi_trans_grad(
    xp: Any,
    g: Any,
    data: Any,
    rois: Any,
    trans: Any,
    /,
    *,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
) -> tuple[Any, Any]:
    """Return the gradients with respect to DeformablePSROIPooling's data and shifts."""
    layout = _Layout(spatial_scale, pooled_size, group_size, part_size or pooled_size, sample_per_part, trans_std)
    return _pulled(xp, g, data, rois, trans, layout, output_dim)


def _infer_turned(data: TensorType, rois: TensorType, *, pooled_size: Ints) -> TensorType:
    require_rank(data, [4])
    require_rank(rois, [2], "rois")
    if len(pooled_size) != 2:
        raise InferError("pooled_size", f"expected 2 numbers, got {pooled_size}")
    if rois.shape is not None and differ(rois.shape[1], 6):
        raise InferError("rois", f"expected 6 numbers for each region, got {rois}")
    channels = Dim.fresh() if data.shape is None else data.shape[1]
    return data.with_shape((Dim.fresh() if rois.shape is None else rois.shape[0], channels, *pooled_size))


def _axis(xp: Any, length: float, bins: int, ratio: int) -> Any:
    """Return the positions (bins, samples per bin) of a region's samples along an axis, relative to its centre."""
    count = ratio if ratio > 0 else math.ceil(length / bins)
    return ((xp.arange(bins * count) + 0.5) / (bins * count) * length - length / 2).reshape(bins, count)


@op(
    name="_contrib_RROIAlign",
    infer=_infer_turned,
    samples=[
        sample((6, 2, 6, 6), (3, 6), pooled_size=(2, 2), spatial_scale=1.0, **WITHIN),
        sample((6, 1, 6, 5), (3, 6), pooled_size=(2, 3), spatial_scale=0.7, sampling_ratio=2, **WITHIN),
    ],
)
def rroi_align(
    xp: Any, data: Any, rois: Any, /, *, pooled_size: Ints, spatial_scale: float, sampling_ratio: int = -1
) -> Any:
    """Average interpolated samples of each bin of rotated regions: (regions, C, *pooled_size).

    A region is (batch index, x and y of the centre, width, height, angle in degrees).
    """
    sizes = data.shape[2:]
    result = xp.zeros((len(rois), data.shape[1], *pooled_size), data.dtype)
    for k, (index, *roi, angle) in enumerate(rois.tolist()):
        middle_x, middle_y, *lengths = (number * spatial_scale for number in roi)
        across, down = (max(length, 1.0) for length in lengths)
        down_axis = _axis(xp, down, pooled_size[0], sampling_ratio)[:, None, :, None]
        across_axis = _axis(xp, across, pooled_size[1], sampling_ratio)[None, :, None, :]
        sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        y = (down_axis * cosine - across_axis * sine + middle_y).reshape(1, -1)
        x = (across_axis * cosine + down_axis * sine + middle_x).reshape(1, -1)
        inside = (y >= -1) & (y <= sizes[0]) & (x >= -1) & (x <= sizes[1])
        around = corners(xp, xp.clip(y, 0, sizes[0] - 1), xp.clip(x, 0, sizes[1] - 1), sizes)
        values = read(xp, data[int(index)][None], around) * inside
        result[k] = values.reshape(data.shape[1], *pooled_size, -1).mean(axis=-1)
    return result
