"""``mx.npx.image``: operators on images in numpy mode, and what ``mx.image`` has."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import image as _images
from hybridlint.runtime.numpy_functions.eager import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.functions import EXTENSION_IMAGES as _TABLE
from hybridlint.runtime.numpy_functions.world import fill as _fill

_SUBMODULES = ()

_bound, _operators = _fill(globals(), _TABLE, _WORLD)


def __getattr__(name: str) -> Any:
    return getattr(_images, name) if name in _images.__all__ else _bound(name)


def __dir__() -> list[str]:
    return sorted({*_operators(), *_images.__all__})
