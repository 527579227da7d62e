"""Matrices (target, size) that resize an axis from `size` to `target` elements, by OpenCV's numbers of methods."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any


def _nearest(xp: Any, size: int, target: int) -> Any:
    # OpenCV divides twice, which differs from one division where a place is nearly a whole number.
    places = xp.minimum(xp.floor(xp.arange(target) * (1 / (target / size))), size - 1)
    return (xp.arange(size) == places[:, None]).astype("float64")


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


def _weighed(weight: Callable[[Any, Any], Any], reach: int) -> Callable[[Any, int, int], Any]:
    """Return a method that weights elements by their distance from the centre of each target element.

    `weight` maps distances to weights; the `reach` elements on each side count.
    """

    def matrix(xp: Any, size: int, target: int) -> Any:
        places = (xp.arange(target) + 0.5) * (size / target) - 0.5
        low = xp.floor(places)[:, None] + xp.arange(1 - reach, reach + 1)
        weights = weight(xp, places[:, None] - low)
        weights = weights / weights.sum(axis=1, keepdims=True)
        return _gathered(xp, xp.clip(low, 0, size - 1), weights, size)

    return matrix


def _gathered(xp: Any, columns: Any, weights: Any, size: int) -> Any:
    """Return the matrix (target, size) with the weights (target, taps) at the given columns (target, taps)."""
    hits = columns[:, :, None] == xp.arange(size)
    return (hits * weights[:, :, None]).sum(axis=1)


def _area(xp: Any, size: int, target: int) -> Any:
    """Return the matrix that averages the elements that each target element covers, by the covered share."""
    step = size / target
    first = xp.arange(target)[:, None] * step
    start = xp.arange(size)[None, :]
    covered = xp.minimum(start + 1, first + step) - xp.maximum(start, first)
    return xp.maximum(covered, 0) / step


def _widened(xp: Any, size: int, target: int) -> Any:
    """Return the matrix for enlarging by areas: each target element lies in one element, or on the border of two."""
    places = xp.arange(target)
    low = xp.floor(places * (size / target))
    share = (places + 1) - (low + 1) * (target / size)
    share = xp.where(share <= 0, 0, share - xp.floor(share))
    columns = xp.stack([low, xp.minimum(low + 1, size - 1)], axis=1)
    return _gathered(xp, columns, xp.stack([1 - share, share], axis=1), size)


#: OpenCV's number of a method -> the method.
METHODS: dict[int, Callable[[Any, int, int], Any]] = {
    0: _nearest,
    1: _weighed(_linear_weight, 1),
    2: _weighed(_cubic_weight, 2),
    3: _area,
    4: _weighed(_lanczos_weight, 4),
}


def matrices(xp: Any, method: int, sizes: tuple[int, int], targets: tuple[int, int]) -> tuple[Any, Any]:
    """Return the matrices that resize the rows and the columns of images from `sizes` to `targets` (height, width)."""
    build = METHODS[method]
    if method == 3 and any(t > s for s, t in zip(sizes, targets, strict=True)):
        build = _widened
    return build(xp, sizes[0], targets[0]), build(xp, sizes[1], targets[1])
