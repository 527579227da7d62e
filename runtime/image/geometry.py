"""Sizes, parts and borders of images, (height, width, C). Random numbers are those of Python's `random`."""

from __future__ import annotations

import math
import random
import warnings
from typing import Any, TypeAlias

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.ndarray.functions import legacy_only
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.util import is_np_array

#: Width and height.
Size: TypeAlias = tuple[int, int]
#: A crop: its first column and row, its width and its height.
Box: TypeAlias = tuple[int, int, int, int]

_ATTEMPTS = 10
_CONSTANT = {0, 16}
# OpenCV's numbers of other borders -> numpy's names of padding.
_BORDERS: dict[int, Any] = {1: "edge", 2: "symmetric", 3: "wrap", 4: "reflect"}


def imresize(src: NDArray, w: int, h: int, interp: int = 1, out: NDArray | None = None) -> NDArray:
    """Return an image in another size, in `out` if given. `interp` is OpenCV's number of the method, 0 to 4.

    Raises MXNetError for another method, and for an `out` of another type.
    """
    operators = nd.npx.image if is_np_array() else nd.image
    resized: NDArray = operators.resize(src, size=(w, h), interp=interp)
    return _stored(resized, out)


def copyMakeBorder(
    src: NDArray,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Any = (),
    out: NDArray | None = None,
) -> NDArray:
    """Return an image with a border, in `out` if given: constant (0), repeated (1) or mirrored (2, 4).

    `values` are the constants of channels; without them `value` is that of all. Raises MXNetError for another type,
    for anything but an image (height, width, channels), and for an `out` of another type.
    """
    if src._scalars:
        raise legacy_only("_cvcopyMakeBorder")
    if src.ndim != 3:
        raise MXNetError(f"copyMakeBorder: expected (height, width, channels), got {src.shape}")
    widths = ((top, bot), (left, right), (0, 0))
    pixels = src.asnumpy()
    if type in _BORDERS:
        return _stored(nd.array(np.pad(pixels, widths, mode=_BORDERS[type]), dtype=pixels.dtype), out)
    if type not in _CONSTANT:
        raise MXNetError(f"copyMakeBorder: {type} is none of OpenCV's types of borders, 0 to 4")
    framed = np.empty((pixels.shape[0] + top + bot, pixels.shape[1] + left + right, pixels.shape[2]), pixels.dtype)
    channels = pixels.shape[2]
    # Channels without a value get 0.
    filling = [*values, *[0] * channels][:channels] if len(values) else [value] * channels
    framed[...] = np.asarray(filling).astype(pixels.dtype)
    framed[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
    return _stored(nd.array(framed, dtype=pixels.dtype), out)


def _stored(image: NDArray, out: NDArray | None) -> NDArray:
    """Return the image, in `out` if given. Raises MXNetError if that has another type."""
    if out is None:
        return image
    if (out.shape, out.dtype) != (image.shape, image.dtype):
        raise MXNetError(f"out is {out.shape} of {out.dtype}, the image {image.shape} of {image.dtype}")
    return image.copyto(out)


def scale_down(src_size: Size, size: Size) -> Size:
    """Return `size` made smaller, in its proportions, until it is inside of `src_size`; both (width, height)."""
    width, height = size
    most_width, most_height = src_size
    if most_height < height:
        width, height = float(width * most_height) / height, most_height  # type: ignore[assignment]
    if most_width < width:
        width, height = most_width, float(height * most_width) / width  # type: ignore[assignment]
    return int(width), int(height)


def get_interp_method(interp: int, sizes: tuple[int, ...] = ()) -> int:
    """Return the number of a method of interpolation: 9 chooses by sizes, 10 at random.

    `sizes` are old height and width, new height and width. Raises ValueError for an unknown number.
    """
    if interp == 9:
        return _best_method(*sizes) if sizes else 2
    if interp == 10:
        return random.randint(0, 4)
    if interp not in range(5):
        raise ValueError(f"Unknown interp method {interp}")
    return interp


def _best_method(old_height: int, old_width: int, height: int, width: int) -> int:
    if height > old_height and width > old_width:
        return 2
    return 3 if height < old_height and width < old_width else 1


def resize_short(src: NDArray, size: int, interp: int = 2) -> NDArray:
    """Return an image whose shorter side is `size`."""
    height, width, _ = src.shape
    if height > width:
        new_height, new_width = size * height // width, size
    else:
        new_height, new_width = size, size * width // height
    method = get_interp_method(interp, (height, width, new_height, new_width))
    return imresize(src, new_width, new_height, interp=method)


def fixed_crop(src: NDArray, x0: int, y0: int, w: int, h: int, size: Size | None = None, interp: int = 2) -> NDArray:
    """Return the part that begins at column `x0` and row `y0`, in the size (width, height) if one is given."""
    out = src[y0 : y0 + h, x0 : x0 + w]
    if size is None or (w, h) == tuple(size):
        return out
    return imresize(out, *size, interp=get_interp_method(interp, (h, w, size[1], size[0])))


def random_crop(src: NDArray, size: Size, interp: int = 2) -> tuple[NDArray, Box]:
    """Return a part of the size (width, height) from anywhere, and where it was."""
    height, width, _ = src.shape
    new_width, new_height = scale_down((width, height), size)
    x0 = random.randint(0, width - new_width)
    y0 = random.randint(0, height - new_height)
    return _part(src, (x0, y0, new_width, new_height), size, interp)


def center_crop(src: NDArray, size: Size, interp: int = 2) -> tuple[NDArray, Box]:
    """Return a part of the size (width, height) from the centre, and where it was; a smaller image is enlarged."""
    height, width, _ = src.shape
    new_width, new_height = scale_down((width, height), size)
    x0, y0 = int((width - new_width) / 2), int((height - new_height) / 2)
    return _part(src, (x0, y0, new_width, new_height), size, interp)


def random_size_crop(
    src: NDArray, size: Size, area: Any, ratio: Any, interp: int = 2, **kwargs: Any
) -> tuple[NDArray, Box]:
    """Return a part of random area and proportions, in the size (width, height), and where it was.

    `area` is the least share of the image, or the least and the most.
    """
    if "min_area" in kwargs:
        warnings.warn("`min_area` is deprecated. Please use `area` instead.", DeprecationWarning, stacklevel=2)
        area = kwargs.pop("min_area")
    if kwargs:
        raise AssertionError("unexpected keyword arguments for `random_size_crop`.")
    height, width, _ = src.shape
    least, most = area if isinstance(area, (list, tuple)) else (area, 1.0)
    for _ in range(_ATTEMPTS):
        target = random.uniform(least, most) * (height * width)
        proportion = math.exp(random.uniform(math.log(ratio[0]), math.log(ratio[1])))
        new_width = round(math.sqrt(target * proportion))
        new_height = round(math.sqrt(target / proportion))
        if new_width <= width and new_height <= height:
            x0 = random.randint(0, width - new_width)
            y0 = random.randint(0, height - new_height)
            return _part(src, (x0, y0, new_width, new_height), size, interp)
    return center_crop(src, size, interp)


def _part(src: NDArray, box: Box, size: Size, interp: int) -> tuple[NDArray, Box]:
    return fixed_crop(src, *box, size, interp), box


def color_normalize(src: NDArray, mean: Any, std: Any = None) -> NDArray:
    """Subtract the mean and divide by the deviation, in place, and return the image. None leaves one out."""
    if mean is not None:
        src -= mean
    if std is not None:
        src /= std
    return src
