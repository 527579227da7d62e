"""Lists of augmenters by a few numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.image.augmenters import (
    Augmenter,
    CastAug,
    CenterCropAug,
    ColorJitterAug,
    ColorNormalizeAug,
    HorizontalFlipAug,
    HueJitterAug,
    LightingAug,
    RandomCropAug,
    RandomGrayAug,
    RandomSizedCropAug,
    ResizeAug,
)

#: Mean, deviation and principal components of the colours of ImageNet.
MEAN = np.array([123.68, 116.28, 103.53])
STD = np.array([58.395, 57.12, 57.375])
EIGENVALUES = np.array([55.46, 4.794, 1.148])
EIGENVECTORS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])


def CreateAugmenter(
    data_shape: Any,
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """Return the augmenters that make images of `data_shape`, (C, height, width), for a classifier.

    With True, `mean` or `std` is the one of ImageNet.
    """
    chosen: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    size = (data_shape[2], data_shape[1])
    if rand_resize:
        if not rand_crop:
            raise AssertionError("rand_resize needs rand_crop")
        chosen.append(RandomSizedCropAug(size, 0.08, (3.0 / 4.0, 4.0 / 3.0), inter_method))
    else:
        chosen.append((RandomCropAug if rand_crop else CenterCropAug)(size, inter_method))
    if rand_mirror:
        chosen.append(HorizontalFlipAug(0.5))
    chosen.append(CastAug())
    colours = color_augmenters(brightness, contrast, saturation, hue, pca_noise, rand_gray)
    return chosen + colours + normalizers(_known(mean, MEAN), _known(std, STD))


def color_augmenters(
    brightness: float, contrast: float, saturation: float, hue: float, pca_noise: float, rand_gray: float
) -> list[Augmenter]:
    """Return the augmenters of colours whose amount is not 0."""
    chosen: list[Augmenter] = []
    if brightness or contrast or saturation:
        chosen.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        chosen.append(HueJitterAug(hue))
    if pca_noise > 0:
        chosen.append(LightingAug(pca_noise, EIGENVALUES, EIGENVECTORS))
    if rand_gray > 0:
        chosen.append(RandomGrayAug(rand_gray))
    return chosen


def normalizers(mean: Any, std: Any) -> list[Augmenter]:
    """Return the normalizing augmenter, if a mean or deviation is given. Each has 1 or 3 channels."""
    for name, value in (("mean", mean), ("std", std)):
        if value is not None and value.shape[0] not in {1, 3}:
            raise AssertionError(f"{name} must have 1 or 3 numbers, got {value.shape[0]}")
    return [] if mean is None and std is None else [ColorNormalizeAug(mean, std)]


def _known(value: Any, usual: Any) -> Any:
    return nd.array(usual) if value is True else value
