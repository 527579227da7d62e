"""Bilinear interpolation of images at fractional positions, with gradients for the images and the positions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False, slots=True)
class Corner:
    """One of the four elements around each position: its flat index, weight, and weight slopes in y and x."""

    index: Any
    weight: Any
    along_y: Any
    along_x: Any


def corners(xp: Any, y: Any, x: Any, sizes: tuple[int, int], *, extend: bool = False) -> Iterator[Corner]:
    """Yield the four elements around each position (y, x) in images of size `sizes` (height, width), in elements.

    `y` and `x` are arrays of one shape. Elements outside of the image have weight 0. With `extend`, a position beyond
    the last row or column by less than one element reads that row or column; all other positions outside have weight 0.
    """
    side = _extended if extend else _surrounded
    rows, columns = side(xp, y, sizes[0]), side(xp, x, sizes[1])
    for (row, high, rise), (column, wide, slope) in itertools.product(rows, columns):
        yield Corner(row * sizes[1] + column, high * wide, rise * wide, high * slope)


def _surrounded(xp: Any, places: Any, size: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield index, weight and slope of the weight of the elements before and after each position along an axis."""
    low = xp.floor(places)
    share = places - low
    for index, weight, slope in ((low, 1 - share, -1), (low + 1, share, 1)):
        inside = (index >= 0) & (index < size)
        yield xp.where(inside, index, 0).astype("int64"), weight * inside, slope * inside


def _extended(xp: Any, places: Any, size: int) -> Iterator[tuple[Any, Any, Any]]:
    inside = (places >= 0) & (places < size)
    held = xp.where(inside, xp.minimum(places, size - 1), 0)
    low = xp.floor(held)
    share, moving = held - low, inside & (places < size - 1)
    yield low.astype("int64"), (1 - share) * inside, -1 * moving
    yield xp.minimum(low + 1, size - 1).astype("int64"), share * inside, 1 * moving


def read(xp: Any, data: Any, around: Iterator[Corner]) -> Any:
    """Return the interpolated values (N, C, P) of images (N, C, height, width) at P positions per image."""
    flat = data.reshape(*data.shape[:2], -1)
    total: Any = 0
    for corner in around:
        total = total + corner.weight[:, None] * _taken(xp, flat, corner.index)
    return total.astype(data.dtype, copy=False)


def pull(xp: Any, g: Any, data: Any, around: Iterator[Corner]) -> tuple[Any, Any, Any]:
    """Return the gradients with respect to images, y and x, given the gradient `g` (N, C, P) of `read`."""
    flat = data.reshape(*data.shape[:2], -1)
    into = xp.zeros_like(flat)
    examples, channels = (xp.arange(n) for n in flat.shape[:2])
    into_y: Any = 0
    into_x: Any = 0
    for corner in around:
        slope = (g * _taken(xp, flat, corner.index)).sum(axis=1)
        into_y = into_y + slope * corner.along_y
        into_x = into_x + slope * corner.along_x
        places = (examples[:, None, None], channels[:, None], corner.index[:, None])
        xp.add.at(into, places, (g * corner.weight[:, None]).astype(data.dtype, copy=False))
    return into.reshape(data.shape), into_y, into_x


def _taken(xp: Any, flat: Any, index: Any) -> Any:
    return xp.take_along_axis(flat, index[:, None], axis=2)
