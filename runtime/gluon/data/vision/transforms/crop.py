"""Cropping and resizing of images."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import image
from hybridlint.runtime.base import numeric_types
from hybridlint.runtime.gluon.block import Block, HybridBlock
from hybridlint.runtime.gluon.data.vision.transforms.conversion import images


class Resize(HybridBlock):
    """Resize to (width, height). A single number is used for both or, with `keep_ratio`, for the shorter side."""

    def __init__(self, size: Any, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._size = size
        self._keep = keep_ratio
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the resized image."""
        return images(F).resize(x, self._size, self._keep, self._interpolation)


class CropResize(HybridBlock):
    """Crop at column `x` and row `y`, and resize if a size is given."""

    def __init__(
        self, x: int, y: int, width: int, height: int, size: Any = None, interpolation: int | None = None
    ) -> None:
        super().__init__()
        self._x, self._y, self._width, self._height = x, y, width, height
        self._size = size
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the crop of an image, or of each image of a batch."""
        # Not the operators of numpy mode, as on MXNet: they refuse its arrays.
        out = F.image.crop(x, self._x, self._y, self._width, self._height)
        return F.image.resize(out, self._size, False, self._interpolation) if self._size else out


class CenterCrop(Block):
    """Crop (width, height) from the centre; a smaller image is enlarged."""

    def __init__(self, size: Any, interpolation: int = 1) -> None:
        super().__init__()
        self._args = (_pair(size), interpolation)

    def forward(self, x: Any) -> Any:
        """Return the centre of the image."""
        return image.center_crop(x, *self._args)[0]


class RandomResizedCrop(Block):
    """Crop a random part of an image, of area `scale` and aspect ratio `ratio`, and resize it.

    `scale` and `ratio` are ranges; `scale` is in fractions of the area. The result is (width, height).
    """

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3.0 / 4.0, 4.0 / 3.0), interpolation: int = 1
    ) -> None:
        super().__init__()
        self._args = (_pair(size), scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        """Return a part of the image."""
        return image.random_size_crop(x, *self._args)[0]


def _pair(size: Any) -> Any:
    return (size, size) if isinstance(size, numeric_types) else size
