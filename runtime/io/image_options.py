"""The augmenters that options of ``io.ImageRecordIter`` represent."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.image import (
    Augmenter,
    CastAug,
    CenterCropAug,
    ColorJitterAug,
    HorizontalFlipAug,
    LightingAug,
    RandomCropAug,
    RandomSizedCropAug,
    ResizeAug,
    copyMakeBorder,
    imresize,
)
from hybridlint.runtime.image.choices import EIGENVALUES, EIGENVECTORS
from hybridlint.runtime.ndarray import NDArray, array

#: Options -> their defaults, which change nothing.
_DEFAULTS: Mapping[str, Any] = {
    "resize": -1,
    "rand_crop": False,
    "random_resized_crop": False,
    "rand_mirror": False,
    "mirror": False,
    "pad": 0,
    "fill_value": 255,
    "inter_method": 1,
    "min_random_scale": 1.0,
    "max_random_scale": 1.0,
    "min_random_area": 1.0,
    "max_random_area": 1.0,
    "min_aspect_ratio": None,
    "max_aspect_ratio": 0.0,
    "min_crop_size": -1,
    "max_crop_size": -1,
    "brightness": 0.0,
    "contrast": 0.0,
    "saturation": 0.0,
    "pca_noise": 0.0,
    "mean_r": 0.0,
    "mean_g": 0.0,
    "mean_b": 0.0,
    "std_r": 1.0,
    "std_g": 1.0,
    "std_b": 1.0,
    "scale": 1.0,
    "max_random_contrast": 0.0,
    "max_random_illumination": 0.0,
}
#: Options that are understood where they change nothing.
_REFUSED: Mapping[str, Any] = {
    "max_rotate_angle": 0,
    "rotate": -1,
    "max_shear_ratio": 0.0,
    "random_h": 0,
    "random_s": 0,
    "random_l": 0,
    "mean_img": "",
    "mean_a": 0.0,
    "std_a": 1.0,
    "min_img_size": 0.0,
    "max_img_size": 1e10,
    "aug_seq": "aug_default",
}


def chosen_augmenters(data_shape: Sequence[int], options: Mapping[str, Any]) -> list[Augmenter]:
    """Return augmenters for images of `data_shape`, (C, height, width).

    Raises NotImplementedError for options that are not here.
    """
    unknown = sorted(n for n, v in options.items() if n not in _DEFAULTS and (n not in _REFUSED or v != _REFUSED[n]))
    if unknown:
        raise NotImplementedError(
            f"ImageRecordIter has no {', '.join(unknown)} here: give the augmenters to mx.image.ImageIter"
        )
    given = {**_DEFAULTS, **options}
    interp = given["inter_method"]
    chosen: list[Augmenter] = []
    if given["resize"] > 0:
        chosen.append(ResizeAug(given["resize"], interp))
    if (given["min_random_scale"], given["max_random_scale"]) != (1, 1) and not given["random_resized_crop"]:
        chosen.append(ScaledAug(given["min_random_scale"], given["max_random_scale"], interp))
    if given["pad"]:
        chosen.append(PaddedAug(given["pad"], given["fill_value"]))
    chosen += _crops((data_shape[2], data_shape[1]), given, interp)
    if given["brightness"] or given["contrast"] or given["saturation"]:
        chosen += [CastAug(), ColorJitterAug(given["brightness"], given["contrast"], given["saturation"])]
    if given["pca_noise"]:
        chosen += [CastAug(), LightingAug(given["pca_noise"], EIGENVALUES, EIGENVECTORS)]
    if given["mirror"] or given["rand_mirror"]:
        chosen.append(HorizontalFlipAug(1.0 if given["mirror"] else 0.5))
    mean, std = ([given[f"{what}_{colour}"] for colour in "rgb"] for what in ("mean", "std"))
    jitter = given["max_random_contrast"], given["max_random_illumination"]
    return [*chosen, CastAug(), ScaledColorsAug(mean, std, given["scale"], *jitter)]


def _crops(size: tuple[int, int], given: Mapping[str, Any], interp: int) -> list[Augmenter]:
    if given["random_resized_crop"]:
        area = given["min_random_area"], given["max_random_area"]
        most = given["max_aspect_ratio"]
        least = given["min_aspect_ratio"]
        ratio = (1 - most, 1 + most) if least is None else (least, most)
        return [RandomSizedCropAug(size, area, ratio, interp)]
    if given["max_aspect_ratio"]:
        raise NotImplementedError("ImageRecordIter changes the aspect ratio here with random_resized_crop only")
    crop = RandomCropAug if given["rand_crop"] else CenterCropAug
    if given["max_crop_size"] > 0:
        return [CropOfSizeAug(crop, given["min_crop_size"], given["max_crop_size"], size, interp)]
    return [crop(size, interp)]


class PaddedAug(Augmenter):
    """Add `pad` pixels of one value on each side."""

    def __init__(self, pad: int, fill_value: int) -> None:
        super().__init__(pad=pad, fill_value=fill_value)
        self.pad, self.fill_value = pad, fill_value

    def __call__(self, src: NDArray) -> NDArray:
        """Return the larger image."""
        return copyMakeBorder(src, *(self.pad,) * 4, 0, self.fill_value)


class ScaledAug(Augmenter):
    """Resize both sides by one random factor."""

    def __init__(self, least: float, most: float, interp: int) -> None:
        super().__init__(least=least, most=most, interp=interp)
        self.least, self.most, self.interp = least, most, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image resized."""
        factor = random.uniform(self.least, self.most)
        height, width = (max(1, int(n * factor)) for n in src.shape[:2])
        return imresize(src, width, height, self.interp)


class CropOfSizeAug(Augmenter):
    """Crop a square of random size, and resize it to `size`, (width, height)."""

    def __init__(self, crop: Any, least: int, most: int, size: tuple[int, int], interp: int) -> None:
        super().__init__(least=least, most=most, size=size, interp=interp)
        self.crop, self.least, self.most, self.size, self.interp = crop, least, most, size, interp

    def __call__(self, src: NDArray) -> NDArray:
        """Return the part."""
        side = random.randint(max(self.least, 1), self.most)
        return imresize(self.crop((side, side), self.interp)(src), *self.size, self.interp)


class ScaledColorsAug(Augmenter):
    """Subtract `mean`, change contrast and light at random, multiply by `scale` and divide by `std`."""

    def __init__(
        self, mean: Sequence[float], std: Sequence[float], scale: float, contrast: float, illumination: float
    ) -> None:
        super().__init__(mean=mean, std=std, scale=scale, contrast=contrast, illumination=illumination)
        self.mean, self.factor = array(mean), array(scale / np.array(std))
        self.contrast, self.illumination = contrast, illumination

    def __call__(self, src: NDArray) -> NDArray:
        """Return the image with other numbers."""
        result = src - self.mean[: src.shape[2]]
        if self.contrast or self.illumination:
            result = result * random.uniform(1 - self.contrast, 1 + self.contrast)
            result = result + random.uniform(-self.illumination, self.illumination)
        scaled: NDArray = result * self.factor[: src.shape[2]]
        return scaled
