"""Weights that resize an axis from `size` to `target` elements, by OpenCV's numbers of methods.

Each target element is a sum of a few elements of the axis, at the places (target, taps) with weights of that shape.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, pi
from typing import Any, TypeAlias

from hybridlint.runtime.ops.blocks import blocks, rows_at_once

#: The places of the elements that are added, and their weights; no weights where one element is taken as it is.
Taps: TypeAlias = tuple[Any, Any]


def _nearest(xp: Any, size: int, target: int) -> Taps:
    # OpenCV divides twice, which differs from one division where a place is nearly a whole number.
    places = xp.minimum(xp.floor(xp.arange(target) * (1 / (target / size))), size - 1)
    return places.astype("int64")[:, None], None


def _linear_weight(xp: Any, gap: Any) -> Any:
    return xp.maximum(1 - xp.abs(gap), 0)


def _cubic_weight(xp: Any, gap: Any) -> Any:
    a, x = -0.75, xp.abs(gap)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return xp.where(x <= 1, near, xp.where(x < 2, far, 0))


def _lanczos_weight(xp: Any, gap: Any) -> Any:
    x = xp.where(gap == 0, 1, gap) * pi
    wave = 4 * xp.sin(x) * xp.sin(x / 4) / (x * x)
    return xp.where(gap == 0, 1, xp.where(xp.abs(gap) < 4, wave, 0))


def _weighed(weight: Callable[[Any, Any], Any], reach: int) -> Callable[[Any, int, int], Taps]:
    """Return a method that weights elements by their distance from the centre of each target element.

    `weight` maps distances to weights; the `reach` elements on each side count.
    """

    def taps(xp: Any, size: int, target: int) -> Taps:
        centres = (xp.arange(target) + 0.5) * (size / target) - 0.5
        low = xp.floor(centres)[:, None] + xp.arange(1 - reach, reach + 1)
        weights = weight(xp, centres[:, None] - low)
        return xp.clip(low, 0, size - 1).astype("int64"), weights / weights.sum(axis=1, keepdims=True)

    return taps


def _area(xp: Any, size: int, target: int) -> Taps:
    """Average the elements that each target element covers, by the covered share."""
    step = size / target
    first = xp.arange(target)[:, None] * step
    start = xp.floor(first) + xp.arange(ceil(step) + 1)
    covered = xp.minimum(start + 1, first + step) - xp.maximum(start, first)
    return xp.clip(start, 0, size - 1).astype("int64"), xp.where(start < size, xp.maximum(covered, 0) / step, 0.0)


def _widened(xp: Any, size: int, target: int) -> Taps:
    """Enlarge by areas: each target element lies in one element, or on the border of two."""
    places = xp.arange(target)
    low = xp.floor(places * (size / target))
    share = (places + 1) - (low + 1) * (target / size)
    share = xp.where(share <= 0, 0, share - xp.floor(share))
    columns = xp.stack([low, xp.minimum(low + 1, size - 1)], axis=1)
    return columns.astype("int64"), xp.stack([1 - share, share], axis=1)


#: OpenCV's number of the method that takes elements as they are.
NEAREST = 0
#: OpenCV's number of a method -> the method.
METHODS: dict[int, Callable[[Any, int, int], Taps]] = {
    NEAREST: _nearest,
    1: _weighed(_linear_weight, 1),
    2: _weighed(_cubic_weight, 2),
    3: _area,
    4: _weighed(_lanczos_weight, 4),
}


def taps(xp: Any, method: int, sizes: tuple[int, int], targets: tuple[int, int]) -> tuple[Taps, Taps]:
    """Return the taps that resize the rows and the columns of images from `sizes` to `targets` (height, width)."""
    build = METHODS[method]
    if method == 3 and any(t > s for s, t in zip(sizes, targets, strict=True)):
        build = _widened
    return build(xp, sizes[0], targets[0]), build(xp, sizes[1], targets[1])


def sum_of_rows(xp: Any, lines: Any, taps: Taps) -> Any:
    """Return weighted sums of the rows of images (batch, rows, elements of a row)."""
    places, weights = taps
    if weights is None:
        return xp.take(lines, places[:, 0], axis=1)
    lines = lines.astype(xp.result_type(lines, weights), copy=False)
    total = xp.empty((len(lines), len(places), lines.shape[2]), lines.dtype)
    most = rows_at_once(len(places), lines.shape[2])
    for image, into in zip(lines, total, strict=True):
        for part in blocks(len(places), most):
            _add_up(xp, image, 0, places[part].T, weights[part].T[:, :, None], into[part])
    return total


def sum_of_columns(xp: Any, lines: Any, taps: Taps, channels: int) -> Any:
    """Return weighted sums of the columns of images (batch, rows, columns times channels).

    All elements of a row are taken at once: to take so many pixels of a few elements each takes longer.
    """
    places, weights = taps
    flat = (places.T[:, :, None] * channels + xp.arange(channels)).reshape(places.shape[1], -1)
    if weights is None:
        return xp.take(lines, flat[0], axis=2)
    weights = xp.repeat(weights.T, channels, axis=1)
    dtype = xp.result_type(lines, weights)
    total = xp.empty((*lines.shape[:2], flat.shape[1]), dtype)
    most = rows_at_once(lines.shape[1], flat.shape[1])
    for image, into in zip(lines, total, strict=True):
        for part in blocks(len(image), most):
            _add_up(xp, image[part].astype(dtype, copy=False), 1, flat, weights, into[part])
    return total


def _add_up(xp: Any, lines: Any, axis: int, places: Any, weights: Any, out: Any) -> None:
    """Store the weighted sum of the elements at places into `out`; taps are the first axis of places and weights."""
    xp.take(lines, places[0], axis=axis, out=out, mode="clip")
    out *= weights[0]
    taken = xp.empty_like(out)
    for place, weight in zip(places[1:], weights[1:], strict=True):
        # The other modes would take into a buffer first; all places are inside.
        xp.take(lines, place, axis=axis, out=taken, mode="clip")
        taken *= weight
        out += taken
