"""Position-sensitive pooling of regions of interest: each bin reads its own group of channels."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor
from typing import Any

from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.detection.regions import rounded
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal, require_rank

#: What samples draw is both batch index and coordinate.
WITHIN: dict[str, Any] = {"low": 0.0, "high": 5.9}


def group_of(bins: int, groups: int) -> list[int]:
    """Return the index of the channel group of each bin along an axis."""
    return [min(k * groups // bins, groups - 1) for k in range(bins)]


def infer_bins(data: TensorType, rois: TensorType, *, output_dim: int, pooled_size: int, group_size: int) -> TensorType:
    """Return the output type (regions, output_dim, pooled_size, pooled_size). Raises InferError for wrong channels."""
    require_rank(data, [4])
    require_rank(rois, [2], "rois")
    groups = group_size or pooled_size
    for name, value in (("output_dim", output_dim), ("pooled_size", pooled_size), ("group_size", groups)):
        if value < 1:
            raise InferError(name, f"expected at least 1, got {value}")
    if rois.shape is not None and differ(rois.shape[1], 5):
        raise InferError("rois", f"expected 5 numbers for each region, got {rois}")
    if data.shape is not None:
        require_equal(output_dim * groups**2, data.shape[1], "data", "channels")
    count = Dim.fresh() if rois.shape is None else rois.shape[0]
    return TensorType((count, output_dim, pooled_size, pooled_size), one_dtype(data, rois, argument="rois"))


def _limits(first: float, last: float, scale: float, bins: int, size: int) -> list[tuple[int, int]]:
    """Return the (begin, end) elements of each bin of a region along an axis, clipped to the data."""
    start, end = rounded(first) * scale, (rounded(last) + 1) * scale
    step = max(end - start, 0.1) / bins
    places = ((floor(k * step + start), ceil((k + 1) * step + start)) for k in range(bins))
    return [(min(max(a, 0), size), min(max(b, 0), size)) for a, b in places]


def _bins(rois: Any, scale: float, bins: int, groups: list[int], shape: Any) -> Iterator[tuple[Any, int, Any, int]]:
    """Iterate over all bins that are not empty.

    Yields the bin's subscript in the output, its example, the subscript of its elements in an example of shape
    (output_dim, groups, groups, height, width), and the number of positions in it.
    """
    for k, (index, x1, y1, x2, y2) in enumerate(rois.tolist()):
        columns = _limits(x1, x2, scale, bins, shape[3])
        for i, (top, bottom) in enumerate(_limits(y1, y2, scale, bins, shape[2])):
            for j, (left, right) in enumerate(columns):
                if top < bottom and left < right:
                    part = (slice(None), groups[i], groups[j], slice(top, bottom), slice(left, right))
                    yield (k, slice(None), i, j), int(index), part, (bottom - top) * (right - left)


def _grouped(data: Any, output_dim: int, group: int) -> Any:
    return data.reshape(len(data), output_dim, group, group, *data.shape[2:])


@op(
    name="_contrib_PSROIPooling",
    infer=infer_bins,
    grad=lambda F, g, ins, outs, **params: (F._hl_psroi_grad(g, *ins, **params), None),
    samples=[
        sample((6, 8, 6, 6), (3, 5), spatial_scale=1.0, output_dim=2, pooled_size=2, **WITHIN),
        sample((6, 4, 5, 4), (3, 5), spatial_scale=0.7, output_dim=1, pooled_size=4, group_size=2, **WITHIN),
    ],
)
def psroi_pooling(
    xp: Any, data: Any, rois: Any, /, *, spatial_scale: float, output_dim: int, pooled_size: int, group_size: int = 0
) -> Any:
    """Average each bin of each region over the bin's own channels: (regions, output_dim, pooled_size, pooled_size).

    Data have output_dim * group_size ** 2 channels; regions are (batch index, x1, y1, x2, y2).
    """
    group = group_size or pooled_size
    source = _grouped(data, output_dim, group)
    result = xp.zeros((len(rois), output_dim, pooled_size, pooled_size), data.dtype)
    for place, index, part, _ in _bins(rois, spatial_scale, pooled_size, group_of(pooled_size, group), data.shape):
        result[place] = source[index][part].mean(axis=(1, 2))
    return result


@op(
    infer=lambda g, data, rois: data,
    samples=[sample((1, 1, 2, 2), (6, 4, 4, 4), (1, 5), spatial_scale=1.0, output_dim=1, pooled_size=2, **WITHIN)],
)
def _hl_psroi_grad(
    xp: Any,
    g: Any,
    data: Any,
    rois: Any,
    /,
    *,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int = 0,
) -> Any:
    """Return the gradient with respect to PSROIPooling's data."""
    group = group_size or pooled_size
    into = _grouped(xp.zeros_like(data), output_dim, group)
    for place, index, part, size in _bins(rois, spatial_scale, pooled_size, group_of(pooled_size, group), data.shape):
        into[index][part] += (g[place] / size)[:, None, None]
    return into.reshape(data.shape)
