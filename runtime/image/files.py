"""Image files as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.regular_files import read_file
from hybridlint.runtime.image import codec
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.util import is_np_array


def imdecode(buf: Any, flag: int = 1, to_rgb: bool | int = True, out: NDArray | None = None) -> NDArray:
    """Return the pixels (height, width, C) of an image file's bytes; `flag` 0 means gray, with C = 1.

    Raises ValueError for what is no bytes, MXNetError for what is no image, ImportError where no library can read it.
    """
    if isinstance(buf, np.ndarray):
        buf = buf.tobytes()
    if not isinstance(buf, (bytes, bytearray)):
        raise ValueError(
            "buf must be of type bytes, bytearray or numpy.ndarray,"
            "if you would like to input type str, please convert to bytes"
        )
    if not buf:
        raise MXNetError("Input cannot be an empty buffer")
    pixels = codec.decode(bytes(buf), flag, rgb=bool(to_rgb))
    image = NDArray(pixels if pixels.ndim == 3 else pixels[..., None])
    if out is not None:
        return image.copyto(out)
    return image.as_np_ndarray() if is_np_array() else image


def imread(filename: str, flag: int = 1, to_rgb: bool | int = True) -> NDArray:
    """Return the pixels, (height, width, C) of bytes, of an image file; `flag` 0 is for gray, with C = 1.

    Raises MXNetError for a file that is not there or is no image, ImportError if no library can read it.
    """
    try:
        data = read_file(filename)
    except OSError as error:
        raise MXNetError(f"imread: {filename!r} couldn't open file: {error.strerror}") from None
    return imdecode(data, flag, to_rgb)
