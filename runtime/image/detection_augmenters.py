"""Augmenters of images with boxes, (objects, class with left, top, right, bottom from 0 to 1 and more)."""

from __future__ import annotations

import json
import logging
import random
import warnings
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.image.augmenters import Augmenter
from hybridlint.runtime.image.geometry import copyMakeBorder, fixed_crop
from hybridlint.runtime.ndarray.ndarray import NDArray

Range = tuple[float, float]
Changed = tuple[NDArray, Any]


class DetAugmenter:
    """Base class of augmenters for detection. Keyword arguments are the values that `dumps` reports."""

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {
            name: value.asnumpy().tolist() if isinstance(value, NDArray) else value for name, value in kwargs.items()
        }

    def dumps(self) -> Any:
        """Return the augmenter as JSON: its name and its arguments."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: NDArray, label: Any) -> Changed:
        """Return the image and the boxes, changed."""
        raise NotImplementedError(f"{type(self).__name__} does not implement __call__")


class DetBorrowAug(DetAugmenter):
    """Wraps an augmenter that does not move boxes. Raises TypeError for other objects."""

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise TypeError("Borrowing from invalid Augmenter")
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> Any:
        """Return the name and the wrapped augmenter's arguments."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: NDArray, label: Any) -> Changed:
        """Return the image changed, and the boxes."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Applies one of several augmenters, or with probability `skip_prob` none. Raises ValueError for other objects."""

    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        self.aug_list: list[DetAugmenter] = list(aug_list) if isinstance(aug_list, (list, tuple)) else [aug_list]
        if not all(isinstance(aug, DetAugmenter) for aug in self.aug_list):
            raise ValueError("Allow DetAugmenter in list only")
        self.skip_prob = skip_prob if self.aug_list else 1

    def dumps(self) -> Any:
        """Return the name and the augmenters' arguments."""
        return [type(self).__name__.lower(), [aug.dumps() for aug in self.aug_list]]

    def __call__(self, src: NDArray, label: Any) -> Changed:
        """Return the image and the boxes, changed by one of them."""
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        return self.aug_list[0](src, label)


class DetHorizontalFlipAug(DetAugmenter):
    """Turn image and boxes around from left to right with the probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray, label: Any) -> Changed:
        """Return the image and the boxes, those changed in place."""
        if random.random() < self.p:
            src = nd.flip(src, axis=1)
            label[:, [1, 3]] = 1.0 - label[:, [3, 1]]
        return src, label


class DetRandomCropAug(DetAugmenter):
    """Crop at random area and aspect ratio, covering enough of each object that the crop touches.

    Objects of which less than `min_eject_coverage` remains are dropped. After `max_attempts` the image is left as it
    is.
    """

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        _tell_fixed(self, aspect_ratio_range, area_range)
        ratios, areas = _pair(aspect_ratio_range, None), _pair(area_range, 1.0)
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=ratios,
            area_range=areas,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )
        self.min_object_covered = min_object_covered
        self.min_eject_coverage = min_eject_coverage
        self.max_attempts = max_attempts
        self.aspect_ratio_range = ratios
        self.area_range = areas
        self.enabled = _usable(self, ratios, areas)

    def __call__(self, src: NDArray, label: Any) -> Changed:
        """Return a part of the image with the boxes that are in it."""
        height, width = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled else 0):
            box = self._proposal(height, width)
            if box is None or not self._covers_enough(label, box, height, width):
                continue
            kept = self._inside(label, box, height, width)
            if len(kept):
                return fixed_crop(src, *box), kept
        return src, label

    def _proposal(self, height: int, width: int) -> tuple[int, int, int, int] | None:
        """Return column, row, width and height of a part; None if those that were drawn do not fit."""
        least, most = (share * height * width for share in self.area_range)
        ratio = random.uniform(*self.aspect_ratio_range)
        low, high = round(sqrt(least / ratio)), round(sqrt(most / ratio))
        if round(high * ratio) > width:
            high = int((width + 0.4999999) / ratio)
        high = min(high, height)
        low = min(low, high)
        h = random.randint(low, high) if low < high else low
        h += (round(h * ratio) * h < least) - (round(h * ratio) * h > most)
        w = round(h * ratio)
        if not (least <= w * h <= most and 0 < w <= width and 0 < h <= height):
            return None
        y = random.randint(0, max(0, height - h))
        x = random.randint(0, max(0, width - w))
        return x, y, w, h

    def _covers_enough(self, label: Any, box: tuple[int, int, int, int], height: int, width: int) -> bool:
        x, y, w, h = box
        if w * h < 2:
            return False
        objects = label[_areas(label[:, 1:]) * width * height > 2][:, 1:5]
        low = np.maximum(objects[:, :2], [x / width, y / height])
        high = np.minimum(objects[:, 2:], [(x + w) / width, (y + h) / height])
        covered = np.prod(np.maximum(high - low, 0), axis=1) / _areas(objects)
        touched = covered[covered > 0]
        return bool(touched.size and touched.min() > self.min_object_covered)

    def _inside(self, label: Any, box: tuple[int, int, int, int], height: int, width: int) -> Any:
        x, y, w, h = box
        share = np.array([w / width, h / height])
        kept = label.copy()
        for place in (1, 3):
            kept[:, place : place + 2] = np.clip((kept[:, place : place + 2] - [x / width, y / height]) / share, 0, 1)
        left = _areas(kept[:, 1:]) * share.prod() / _areas(label[:, 1:])
        return kept[(kept[:, 3] > kept[:, 1]) & (kept[:, 4] > kept[:, 2]) & (left > self.min_eject_coverage)]


class DetRandomPadAug(DetAugmenter):
    """Place the image at random on a larger canvas of random area and aspect ratio, filled with `pad_val`."""

    def __init__(
        self,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ) -> None:
        _tell_fixed(self, aspect_ratio_range, area_range)
        ratios, areas = _pair(aspect_ratio_range, None), _pair(area_range, area_range)
        values = pad_val if isinstance(pad_val, (list, tuple)) else (pad_val,)
        super().__init__(aspect_ratio_range=ratios, area_range=areas, max_attempts=max_attempts, pad_val=values)
        self.pad_val = values
        self.aspect_ratio_range = ratios
        self.area_range = areas
        self.max_attempts = max_attempts
        self.enabled = _usable(self, ratios, areas)

    def __call__(self, src: NDArray, label: Any) -> Changed:
        """Return the larger image with the boxes."""
        height, width = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled else 0):
            box = self._proposal(height, width)
            if box is None:
                continue
            x, y, w, h = box
            padded = copyMakeBorder(src, y, h - y - height, x, w - x - width, 16, values=self.pad_val)
            moved = label.copy()
            moved[:, [1, 3]] = (label[:, [1, 3]] * width + x) / w
            moved[:, [2, 4]] = (label[:, [2, 4]] * height + y) / h
            return padded, moved
        return src, label

    def _proposal(self, height: int, width: int) -> tuple[int, int, int, int] | None:
        """Return column and row of the image on the larger one, and that one's width and height."""
        least, most = (share * height * width for share in self.area_range)
        ratio = random.uniform(*self.aspect_ratio_range)
        low, high = round(sqrt(least / ratio)), round(sqrt(most / ratio))
        if round(low * ratio) < width:
            low = int((width + 0.499999) / ratio)
        low = min(max(low, height), high)
        h = random.randint(low, high) if low < high else low
        w = round(h * ratio)
        # A border of one pixel helps nobody.
        if h - height < 2 or w - width < 2:
            return None
        y = random.randint(0, max(0, h - height))
        x = random.randint(0, max(0, w - width))
        return x, y, w, h


def _areas(boxes: Any) -> Any:
    return np.maximum(0, boxes[:, 3] - boxes[:, 1]) * np.maximum(0, boxes[:, 2] - boxes[:, 0])


def _pair(value: Any, second: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    return (value, value if second is None else second)


def _tell_fixed(augmenter: DetAugmenter, ratios: Any, areas: Any) -> None:
    for what, value in (("aspect ratio", ratios), ("area range", areas)):
        if not isinstance(value, (list, tuple)):
            logging.info("Using fixed %s: %s in %s", what, value, type(augmenter).__name__)


def _usable(augmenter: DetAugmenter, ratios: Sequence[float], areas: Sequence[float]) -> bool:
    if areas[1] <= 0 or areas[0] > areas[1] or ratios[0] <= 0 or ratios[0] > ratios[1]:
        warnings.warn(
            f"{type(augmenter).__name__} does nothing: areas {areas} or proportions {ratios} are not ranges",
            stacklevel=3,
        )
        return False
    return True
