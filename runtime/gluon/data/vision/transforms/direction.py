"""Flips and rotations of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime import image
from hybridlint.runtime.gluon.block import Block, HybridBlock
from hybridlint.runtime.gluon.data.vision.transforms.conversion import images


class RandomFlipLeftRight(HybridBlock):
    """Flip an image from left to right with probability 0.5."""

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image, flipped or not."""
        return images(F).random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Flip an image from top to bottom with probability 0.5."""

    def __init__(self) -> None:
        super().__init__()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image, flipped or not."""
        return images(F).random_flip_top_bottom(x)


class Rotate(Block):
    """Rotate a float32 image (C, height, width), or a batch of them, by an angle in degrees."""

    def __init__(self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False) -> None:
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """Return the rotated image. Raises TypeError for another dtype."""
        return image.imrotate(_require_float32(x), *self._args)


class RandomRotation(Block):
    """Rotate a float32 image (C, height, width), or a batch of them, by a random angle, with a given probability.

    The angle is drawn between two limits in degrees. Raises ValueError if the limits are out of order, or if the
    probability is not between 0 and 1.
    """

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        if angle_limits[0] >= angle_limits[1]:
            raise ValueError("`angle_limits` must be an ordered tuple")
        if not 0 <= rotate_with_proba <= 1:
            raise ValueError("Probability of rotating the image should be between 0 and 1")
        self._args = (angle_limits, zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """Return the image, rotated or not. Raises TypeError for another dtype."""
        if np.random.random() > self._rotate_with_proba:
            return x
        return image.random_rotate(_require_float32(x), *self._args)


def _require_float32(x: Any) -> Any:
    # The dtype of an array of numpy mode is no type, so that MXNet rotates none.
    if x.dtype is not np.float32:
        raise TypeError("This transformation only supports float32. Consider calling it after ToTensor")
    return x
