"""Batches from records of images."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.contrib.refused import refused

if TYPE_CHECKING:
    from hybridlint.runtime.image import ImageIter


def ImageRecordIter(
    *,
    path_imgrec: str,
    data_shape: Any,
    batch_size: int,
    path_imgidx: str | None = None,
    label_width: int = 1,
    shuffle: bool = False,
    resize: int = -1,
    rand_crop: bool = False,
    rand_mirror: bool = False,
    mean_r: float = 0.0,
    mean_g: float = 0.0,
    mean_b: float = 0.0,
    std_r: float = 1.0,
    std_g: float = 1.0,
    std_b: float = 1.0,
    part_index: int = 0,
    num_parts: int = 1,
    data_name: str = "data",
    label_name: str = "softmax_label",
    dtype: str = "float32",
    round_batch: bool = True,
    **options: Any,
) -> ImageIter:
    """Return batches (N, C, height, width) of the images of a file of records, augmented by `mx.image`.

    An index is found beside the records where none is given. Options of speed are ignored; those of augmentation that
    are not here raise NotImplementedError.
    """
    from hybridlint.runtime.image import CreateAugmenter, ImageIter

    _refuse_augmentation(options)
    index = path_imgidx or os.path.splitext(path_imgrec)[0] + ".idx"
    mean, std = np.array([mean_r, mean_g, mean_b]), np.array([std_r, std_g, std_b])
    augmenters = CreateAugmenter(
        data_shape,
        resize=max(resize, 0),
        rand_crop=rand_crop,
        rand_mirror=rand_mirror,
        mean=mean if mean.any() else None,
        std=std if (std != 1).any() else None,
    )
    return ImageIter(
        batch_size,
        data_shape,
        label_width,
        path_imgrec=path_imgrec,
        path_imgidx=index if os.path.exists(index) else None,
        shuffle=shuffle,
        part_index=part_index,
        num_parts=num_parts,
        aug_list=augmenters,
        data_name=data_name,
        label_name=label_name,
        dtype=dtype,
        last_batch_handle="pad" if round_batch else "discard",
    )


_SPEED = {
    "preprocess_threads",
    "prefetch_buffer",
    "verbose",
    "seed",
    "shuffle_chunk_size",
    "shuffle_chunk_seed",
    "seed_aug",
    "ctx",
    "device_id",
}


def _refuse_augmentation(options: dict[str, Any]) -> None:
    unknown = sorted(name for name, value in options.items() if name not in _SPEED and value)
    if unknown:
        raise NotImplementedError(
            f"ImageRecordIter has no {', '.join(unknown)} here: give the augmenters to mx.image.ImageIter"
        )


ImageRecordIter_v1 = ImageRecordIter
_BYTES = "read the records with mx.image.ImageIter(dtype=...)"
ImageRecordUInt8Iter = refused("io.ImageRecordUInt8Iter", _BYTES)
ImageRecordUInt8Iter_v1 = refused("io.ImageRecordUInt8Iter_v1", _BYTES)
ImageRecordInt8Iter = refused("io.ImageRecordInt8Iter", _BYTES)
ImageDetRecordIter = refused("io.ImageDetRecordIter", "read the records with mx.image.ImageDetIter")
