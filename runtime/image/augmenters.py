"""``mx.image``: augmenters, callables that change an image (height, width, C), by Python's and numpy's generators."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.image.geometry import (
    center_crop,
    color_normalize,
    get_interp_method,
    imresize,
    random_crop,
    random_size_crop,
    resize_short,
)
from hybridlint.runtime.ndarray.ndarray import NDArray

_GRAY = np.array([[[0.299, 0.587, 0.114]]], np.float32)
_LUMA = np.array([[0.21] * 3, [0.72] * 3, [0.07] * 3], np.float32)
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
_FROM_YIQ = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])


class Augmenter:
    """Base class of augmenters. Keyword arguments are the values that `dumps` reports."""

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: _plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """Return the augmenter as JSON: its name and its arguments."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image changed."""
        raise NotImplementedError(f"{type(self).__name__} does not implement __call__")


class SequentialAug(Augmenter):
    """Augmenters one after the other."""

    def __init__(self, ts: Sequence[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> Any:
        """Return the name and arguments as JSON."""
        return [type(self).__name__.lower(), [x.dumps() for x in self.ts]]

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image changed by all."""
        for aug in self.ts:
            src = aug(src)
        return src


class RandomOrderAug(SequentialAug):
    """Augmenters in random order."""

    def __init__(self, ts: list[Augmenter]) -> None:
        super().__init__(ts)
        self.ts: list[Augmenter] = ts

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image changed by all."""
        random.shuffle(self.ts)
        return super().__call__(src)


class ResizeAug(Augmenter):
    """Make the shorter side `size`."""

    def __init__(self, size: int, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image resized."""
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(Augmenter):
    """Resize to (width, height), ignoring the aspect ratio."""

    def __init__(self, size: tuple[int, int], interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image resized."""
        sizes = (src.shape[0], src.shape[1], self.size[1], self.size[0])
        return imresize(src, *self.size, interp=get_interp_method(self.interp, sizes))


class RandomCropAug(Augmenter):
    """Crop (width, height) at a random position."""

    def __init__(self, size: tuple[int, int], interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the part."""
        return random_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Crop the image at random area and aspect ratio, and resize the part to `size`, (width, height)."""

    def __init__(self, size: tuple[int, int], area: Any, ratio: Any, interp: int = 2, **kwargs: Any) -> None:
        area = kwargs.pop("min_area", area)
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        if kwargs:
            raise AssertionError("unexpected keyword arguments for `RandomSizedCropAug`.")
        self.size, self.area, self.ratio, self.interp = size, area, ratio, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the part."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class CenterCropAug(Augmenter):
    """Crop a part of `size`, (width, height), from the centre of the image."""

    def __init__(self, size: tuple[int, int], interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the part."""
        return center_crop(src, self.size, self.interp)[0]


class BrightnessJitterAug(Augmenter):
    """Scale the image by a factor of 1 plus or minus at most `brightness`."""

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image, changed in place."""
        src *= 1.0 + random.uniform(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Scale the distance of the image from its mean gray by 1 plus or minus at most `contrast`."""

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast
        self.coef = nd.array(_GRAY)

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image, changed in place."""
        alpha = 1.0 + random.uniform(-self.contrast, self.contrast)
        gray = src * self.coef
        gray = (3.0 * (1.0 - alpha) / gray.size) * nd.sum(gray)
        src *= alpha
        src += gray
        return src


class SaturationJitterAug(Augmenter):
    """Scale the distance of each pixel from its gray by a factor of 1 plus or minus at most `saturation`."""

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation
        self.coef = nd.array(_GRAY)

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image, changed in place."""
        alpha = 1.0 + random.uniform(-self.saturation, self.saturation)
        gray = nd.sum(src * self.coef, axis=2, keepdims=True)
        gray *= 1.0 - alpha
        src *= alpha
        src += gray
        return src


class HueJitterAug(Augmenter):
    """Turn the hue by at most `hue` half turns."""

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image changed."""
        angle = random.uniform(-self.hue, self.hue) * math.pi
        turn = np.array(
            [[1.0, 0.0, 0.0], [0.0, math.cos(angle), -math.sin(angle)], [0.0, math.sin(angle), math.cos(angle)]]
        )
        turned: NDArray = nd.dot(src, nd.array((_FROM_YIQ @ turn @ _TO_YIQ).T))
        return turned


class ColorJitterAug(RandomOrderAug):
    """Change brightness, contrast and saturation, in random order."""

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = ((BrightnessJitterAug, brightness), (ContrastJitterAug, contrast), (SaturationJitterAug, saturation))
        super().__init__([kind(amount) for kind, amount in kinds if amount > 0])


class LightingAug(Augmenter):
    """Add noise along the principal components of the colours."""

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd, self.eigval, self.eigvec = alphastd, eigval, eigvec

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image, changed in place."""
        alpha = np.random.normal(0, self.alphastd, size=(3,))
        src += nd.array(np.dot(self.eigvec * alpha, self.eigval))
        return src


class ColorNormalizeAug(Augmenter):
    """Subtract the mean of each channel and divide by its deviation."""

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean, self.std = _array(mean), _array(std)

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image, changed in place."""
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Make the image gray with the probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p
        self.mat = nd.array(_LUMA)

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image."""
        return nd.dot(src, self.mat) if random.random() < self.p else src


class HorizontalFlipAug(Augmenter):
    """Turn the image around from left to right with the probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image."""
        return nd.flip(src, axis=1) if random.random() < self.p else src


class CastAug(Augmenter):
    """Convert the image to another dtype."""

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image in the dtype."""
        return src.astype(self.typ)


def _plain(value: Any) -> Any:
    """Return a value in a form that JSON supports."""
    if isinstance(value, NDArray):
        value = value.asnumpy()
    return value.tolist() if isinstance(value, np.ndarray) else value


def _array(value: Any) -> Any:
    return value if value is None or isinstance(value, NDArray) else nd.array(value)
