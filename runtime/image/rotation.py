"""Rotated images, (C, height, width) or batches of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import numeric_types
from hybridlint.runtime.ndarray.ndarray import NDArray


def imrotate(src: NDArray, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> NDArray:
    """Return images rotated about their centres, what lies outside as zeros.

    `zoom_in` enlarges until nothing outside is seen, `zoom_out` reduces until nothing is lost. The angle of a batch is
    one number, or one for each image. Raises TypeError for another dtype than float32, ValueError for both zooms.
    """
    if zoom_in and zoom_out:
        raise ValueError("`zoom_in` and `zoom_out` cannot be both True")
    # The dtype of an array of numpy mode is no type, so that MXNet rotates none.
    if src.dtype is not np.float32:
        raise TypeError("Only `float32` images are supported by this function")
    single = src.ndim == 3
    if not single and src.ndim != 4:
        raise ValueError("Input image must be (C, height, width) or a batch of such images")
    if single:
        if not isinstance(rotation_degrees, numeric_types):
            raise TypeError("When a single image is passed the rotation angle is required to be a scalar.")
        src = src.expand_dims(axis=0)
    angles = _angles(rotation_degrees, len(src))
    height, width = src.shape[2:]
    grids = [_grid(float(angle) * math.pi / 180, height, width, zoom_in, zoom_out) for angle in angles]
    rotated: NDArray = nd.BilinearSampler(src, nd.array(np.stack(grids), dtype="float32"))
    return rotated[0] if single else rotated


def random_rotate(
    src: NDArray, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Return images rotated by degrees between two limits, which numpy's generator draws; each image by its own."""
    if src.ndim == 3:
        return imrotate(src, float(np.random.uniform(*angle_limits)), zoom_in, zoom_out)
    return imrotate(src, np.random.uniform(*angle_limits, size=len(src)), zoom_in, zoom_out)


def _angles(degrees: Any, count: int) -> Any:
    if isinstance(degrees, numeric_types):
        return [degrees] * count
    angles = degrees.asnumpy() if isinstance(degrees, NDArray) else np.asarray(degrees)
    if len(angles) != count:
        raise ValueError("The number of images must be equal to the number of rotation angles")
    return angles


def _grid(angle: float, height: int, width: int, zoom_in: bool, zoom_out: bool) -> Any:
    """Return where each pixel comes from: (2, height, width), columns and rows between -1 and 1."""
    middle_row, middle_column = (height - 1) / 2, (width - 1) / 2
    rows, columns = np.mgrid[:height, :width].astype(np.float64)
    rows -= middle_row
    columns -= middle_column
    scale = _zoom(angle, height, width, zoom_in, zoom_out)
    cosine, sine = math.cos(angle) * scale, math.sin(angle) * scale
    return np.stack([(columns * cosine - rows * sine) / middle_column, (columns * sine + rows * cosine) / middle_row])


def _zoom(angle: float, height: int, width: int, zoom_in: bool, zoom_out: bool) -> float:
    if not zoom_in and not zoom_out:
        return 1.0
    diagonal, corner = math.hypot(height, width), math.atan(height / width)
    turned = (corner + abs(angle), corner - abs(angle))
    across = max(abs(diagonal * math.cos(a)) for a in turned)
    along = max(abs(diagonal * math.sin(a)) for a in turned)
    if zoom_out:
        return max(across / width, along / height)
    return min(width / across, height / along)
