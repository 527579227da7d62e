"""Pictures: sizes, colours and their transforms."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from api_calls.table import CASES, case, normal, pixels

if TYPE_CHECKING:
    from api_calls.table import Call


def _on(name: str, call: Callable[[Any, Any], Any], height: int = 480, width: int = 640) -> None:
    """Add a case that applies a function to a picture: of the library first."""

    def prepare(mx: Any) -> Call:
        picture = pixels(mx, height, width, 3)
        return lambda: call(mx, picture)

    CASES[name] = prepare


for _name, _how in {"nearest": 0, "bilinear": 1, "cubic": 2, "area": 3}.items():
    _on(f"image/imresize-{_name}", lambda mx, picture, how=_how: mx.image.imresize(picture, 224, 224, how))
_on("image/imresize-larger", lambda mx, picture: mx.image.imresize(picture, 448, 448), 224, 224)
_on("image/resize_short", lambda mx, picture: mx.image.resize_short(picture, 256))
_PICTURE_TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "ToTensor": lambda t: t.ToTensor(),
    "Resize": lambda t: t.Resize(224),
    "CenterCrop": lambda t: t.CenterCrop(224),
    "RandomResizedCrop": lambda t: t.RandomResizedCrop(224),
    "RandomFlipLeftRight": lambda t: t.RandomFlipLeftRight(),
    "RandomBrightness": lambda t: t.RandomBrightness(0.4),
    "RandomContrast": lambda t: t.RandomContrast(0.4),
    "RandomSaturation": lambda t: t.RandomSaturation(0.4),
    "RandomHue": lambda t: t.RandomHue(0.4),
    "RandomColorJitter": lambda t: t.RandomColorJitter(0.4, 0.4, 0.4, 0.1),
    "RandomLighting": lambda t: t.RandomLighting(0.1),
    "Cast": lambda t: t.Cast("float32"),
}
for _name, _build in _PICTURE_TRANSFORMS.items():

    def _transform(mx: Any, build: Callable[[Any], Any] = _build) -> Call:
        transform, picture = build(mx.gluon.data.vision.transforms), pixels(mx, 300, 400, 3)
        return lambda: transform(picture)

    CASES[f"image/{_name}"] = _transform


@case("image/Normalize")
def _normalize(mx: Any) -> Call:
    transform = mx.gluon.data.vision.transforms.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2))
    x = normal(mx, 3, 224, 224)
    return lambda: transform(x)


def _png(rows: Any) -> bytes:
    """Return a picture as a file: no library that writes one is installed beside both."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 2, 0, 0, 0)
    lines = zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


@case("image/imdecode")
def _decode(mx: Any) -> Call:
    file = _png(np.repeat(np.random.RandomState(0).randint(0, 256, size=(224, 16, 3)).astype(np.uint8), 14, axis=1))
    return lambda: mx.image.imdecode(file)
