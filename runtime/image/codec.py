"""Decoding and encoding of image files, with OpenCV if installed, else Pillow. Both are imported on use."""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError

_JPEG = (".jpg", ".jpeg")
_NEEDED = "image files are read and written with opencv-python or pillow: install one of them"


def decode(data: bytes, flag: int, *, rgb: bool) -> Any:
    """Return an image file's pixels as uint8: (height, width, 3) for colour, (height, width) for gray.

    `flag` is 1 for colour, 0 for gray, -1 for the file's own mode; `rgb` orders channels as RGB instead of BGR. Raises
    MXNetError if the data is not an image, and ImportError if no library can read it.
    """
    cv2 = _optional("cv2")
    return _decode_by_cv2(cv2, data, flag, rgb) if cv2 is not None else _decode_by_pillow(data, flag, rgb)


def encode(pixels: Any, suffix: str, quality: int) -> bytes:
    """Encode a uint8 image (height, width, BGR) or (height, width) as a file.

    Raises AssertionError if it cannot be encoded, and ImportError if no library can write the format.
    """
    suffix = suffix.lower()
    if suffix not in {*_JPEG, ".png"}:
        raise AssertionError(f"images are written as .jpg or .png, not as {suffix}")
    cv2 = _optional("cv2")
    if cv2 is None:
        return _encode_by_pillow(pixels, suffix, quality)
    kind = cv2.IMWRITE_JPEG_QUALITY if suffix in _JPEG else cv2.IMWRITE_PNG_COMPRESSION
    written, buffer = cv2.imencode(suffix, pixels, [kind, quality])
    if not written:
        raise AssertionError("failed to encode image")
    return bytes(buffer.tobytes())


def _decode_by_cv2(cv2: Any, data: bytes, flag: int, rgb: bool) -> Any:
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flag) if data else None
    except cv2.error:
        raise _undecodable() from None
    if pixels is None:
        raise _undecodable()
    return np.ascontiguousarray(pixels[..., ::-1]) if rgb and pixels.ndim == 3 else pixels


def _decode_by_pillow(data: bytes, flag: int, rgb: bool) -> Any:
    image_module = _pillow()
    try:
        image = image_module.open(io.BytesIO(data))
        mode = ("RGB" if image.mode not in {"L", "I", "1"} else "L") if flag < 0 else ("RGB" if flag else "L")
        pixels = np.array(image.convert(mode))
    except Exception:
        # Pillow's formats raise errors of many kinds for damaged files.
        raise _undecodable() from None
    return pixels if rgb or pixels.ndim == 2 else np.ascontiguousarray(pixels[..., ::-1])


def _encode_by_pillow(pixels: Any, suffix: str, quality: int) -> bytes:
    image = _pillow().fromarray(pixels if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., ::-1]))
    file = io.BytesIO()
    if suffix in _JPEG:
        image.save(file, "JPEG", quality=quality)
    else:
        image.save(file, "PNG", compress_level=quality)
    return file.getvalue()


def _undecodable() -> MXNetError:
    return MXNetError("Decoding failed. Invalid image file.")


def _pillow() -> Any:
    module = _optional("PIL.Image")
    if module is None:
        raise ImportError(_NEEDED)
    return module


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
