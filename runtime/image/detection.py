"""``mx.image.detection``: lists of augmenters for images with boxes, and batches of such images."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.image.augmenters import Augmenter, CastAug, ForceResizeAug, ResizeAug
from hybridlint.runtime.image.choices import MEAN, STD, color_augmenters, normalizers
from hybridlint.runtime.image.detection_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
)
from hybridlint.runtime.image.iterator import ImageIter
from hybridlint.runtime.io.batches import DataBatch, DataDesc
from hybridlint.runtime.ndarray.ndarray import NDArray

__all__ = [
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
    "ImageDetIter",
]


def CreateMultiRandCropAugmenter(
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Return a choice of crops, one for each element of the arguments that are lists. Raises AssertionError."""
    arguments = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    lists = [each if isinstance(each, list) else [each] for each in arguments]
    count = max(map(len, lists))
    if any(len(each) not in {1, count} for each in lists):
        raise AssertionError("arguments that are lists must have one length")
    settings = zip(*[each * count if len(each) == 1 else each for each in lists], strict=True)
    return DetRandomSelectAug([DetRandomCropAug(*setting) for setting in settings], skip_prob=skip_prob)


def CreateDetAugmenter(
    data_shape: Sequence[int],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: int = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """Return the augmenters that make images of `data_shape`, (C, height, width), for a detector.

    `rand_crop` and `rand_pad` are probabilities. With True, `mean` or `std` is the one of ImageNet.
    """
    chosen: list[DetAugmenter] = [DetBorrowAug(ResizeAug(resize, inter_method))] if resize > 0 else []
    if rand_crop > 0:
        crops = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
        chosen.append(CreateMultiRandCropAugmenter(*crops, skip_prob=1 - rand_crop))
    if rand_mirror:
        chosen.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), max_attempts, pad_val)
        chosen.append(DetRandomSelectAug([pad], 1 - rand_pad))
    last: list[Augmenter] = [ForceResizeAug((data_shape[2], data_shape[1]), inter_method), CastAug()]
    last += color_augmenters(brightness, contrast, saturation, hue, pca_noise, rand_gray)
    last += normalizers(MEAN if mean is True else mean, STD if std is True else std)
    return [*chosen, *map(DetBorrowAug, last)]


class ImageDetIter(ImageIter):
    """Batches of images with boxes: labels are (N, objects, numbers), rows that are no objects -1.

    A label of a record is the size of its head, the size of an object, the rest of the head, and the objects.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Sequence[int],
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: list[DetAugmenter] | None = None,
        imglist: Any = None,
        data_name: str = "data",
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            batch_size,
            data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list,
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
        )
        self._describe_label(self._estimate_label_shape())

    def _describe_label(self, shape: tuple[int, int]) -> None:
        self.label_shape = shape
        self.provide_label = [DataDesc(self.provide_label[0].name, (self.batch_size, *shape))]

    def _estimate_label_shape(self) -> tuple[int, int]:
        """Return the most objects of an image, and the most numbers of an object."""
        shapes = []
        self.reset()
        while True:
            try:
                label, _ = self.next_sample()
            except StopIteration:
                break
            shapes.append(self._parse_label(label).shape)
        self.reset()
        return max(s[0] for s in shapes), max(s[1] for s in shapes)

    def _parse_label(self, label: Any) -> Any:
        """Return the objects of a label. Raises RuntimeError for another form, and where there is none."""
        raw = (label.asnumpy() if isinstance(label, NDArray) else np.asarray(label)).ravel()
        if raw.size < 7:
            raise RuntimeError(f"Label shape is invalid: {raw.shape}")
        head, width = int(raw[0]), int(raw[1])
        if (raw.size - head) % width:
            raise RuntimeError(f"Label shape {raw.shape} inconsistent with annotation width {width}.")
        objects = raw[head:].reshape(-1, width)
        objects = objects[(objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])]
        if not len(objects):
            raise RuntimeError("Encounter sample with no valid label.")
        return objects

    def _check_valid_label(self, label: Any) -> None:
        if label.ndim != 2 or label.shape[1] < 5:
            raise RuntimeError(f"Label with shape (1+, 5+) required, {label} received.")
        if not ((label[:, 0] >= 0) & (label[:, 3] > label[:, 1]) & (label[:, 4] > label[:, 2])).any():
            raise RuntimeError("Invalid label occurs.")

    def augmentation_transform(self, data: NDArray, label: Any = None) -> Any:
        """Return image and boxes as the augmenters change them."""
        for augment in self.auglist:
            data, label = augment(data, label)
        return data, label

    def _sample(self) -> tuple[NDArray, Any]:
        while True:
            raw, file = self.next_sample()
            try:
                image = self.imdecode(file)
                self.check_valid_image([image])
                data, label = self.augmentation_transform(image, self._parse_label(raw))
                self._check_valid_label(label)
            except RuntimeError as error:
                logging.debug("Invalid image or label, skipping: %s", error)
                continue
            return data, label

    def _batch(self, samples: Sequence[tuple[NDArray, Any]], pad: int) -> DataBatch:
        shape = self.provide_data[0].shape[2:]
        wrong = next((image.shape for image, _ in samples if image.shape[:2] != shape), None)
        if wrong is not None:
            raise ValueError(f"an image of shape {wrong} does not go into a batch of {shape}")
        return super()._batch(samples, pad)

    def _labels(self, labels: Sequence[Any]) -> NDArray:
        filled = np.full((self.batch_size, *self.label_shape), -1.0, np.float32)
        for row, label in zip(filled, labels, strict=True):
            row[: len(label), : label.shape[1]] = label[: len(row)]
        return nd.array(filled)

    def reshape(self, data_shape: Sequence[int] | None = None, label_shape: Any = None) -> None:
        """Change the shape of images or of labels; the augmenters stay. Raises ValueError for smaller labels."""
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.provide_data = [DataDesc(self.provide_data[0].name, (self.batch_size, *data_shape))]
            self.data_shape = tuple(data_shape)
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self._describe_label(tuple(label_shape))

    def check_label_shape(self, label_shape: Sequence[int]) -> None:
        """Raise ValueError for a shape of labels that is smaller, or that is none."""
        if len(label_shape) != 2:
            raise ValueError("label_shape should have length 2")
        for size, before, what in zip(label_shape, self.label_shape, ("count", "width"), strict=True):
            if size < before:
                raise ValueError(f"Attempts to reduce label {what} from {before} to {size}, not allowed.")

    def sync_label_shape(self, it: ImageDetIter, verbose: bool = False) -> ImageDetIter:
        """Give both iterators the larger shape of labels and return the other one."""
        if not isinstance(it, ImageDetIter):
            raise AssertionError("Synchronize with invalid iterator.")
        shape = (max(self.label_shape[0], it.label_shape[0]), max(self.label_shape[1], it.label_shape[1]))
        for each in (self, it):
            each._describe_label(shape)
        if verbose:
            logging.info("Resized label_shape to %s.", shape)
        return it
