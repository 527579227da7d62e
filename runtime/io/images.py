"""Batches from records of images."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.contrib.refused import refused
from hybridlint.runtime.io.batches import DataDesc

if TYPE_CHECKING:
    from hybridlint.runtime.image import ImageIter


def ImageRecordIter(
    *,
    path_imgrec: str,
    data_shape: Any,
    batch_size: int,
    path_imgidx: str | None = None,
    path_imglist: str | None = None,
    label_width: int = 1,
    shuffle: bool = False,
    part_index: int = 0,
    num_parts: int = 1,
    data_name: str = "data",
    label_name: str = "softmax_label",
    dtype: str | None = "float32",
    round_batch: bool = True,
    **options: Any,
) -> ImageIter:
    """Return batches (N, C, height, width) of the images of a file of records, augmented as the `options` say.

    With `round_batch` the last batch is filled with the first images, and the next epoch goes on after them. Parts have
    equal numbers of images where an index is given, else equal numbers of bytes. An index beside the records is used
    where none is given. Options of speed are ignored; those of augmentation that
    are not here, such as rotations, raise NotImplementedError, and unknown dtypes MXNetError.
    """
    from hybridlint.runtime.io.image_options import chosen_augmenters
    from hybridlint.runtime.io.record_batches import RecordBatches

    if dtype not in {None, "float32", "uint8"}:
        raise MXNetError(f"unknown dtype for ImageRecordIter: {dtype} is neither float32 nor uint8")
    index = path_imgidx or os.path.splitext(path_imgrec)[0] + ".idx"
    options = {name: value for name, value in options.items() if name not in _SPEED}
    batches = RecordBatches(
        batch_size,
        data_shape,
        label_width,
        path_imgrec=path_imgrec,
        path_imglist=path_imglist or None,
        path_imgidx=index if os.path.exists(index) else None,
        equal_counts=path_imgidx is not None and bool(path_imgidx),
        shuffle=shuffle,
        part_index=part_index,
        num_parts=num_parts,
        aug_list=chosen_augmenters(data_shape, options),
        data_name=data_name,
        label_name=label_name,
    )
    batches.round_batch = bool(round_batch)
    if dtype == "uint8":
        # Labels are float32 all the same.
        batches.dtype = dtype
        batches.provide_data = [DataDesc(d.name, d.shape, dtype, d.layout) for d in batches.provide_data]
    return batches


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


ImageRecordIter_v1 = ImageRecordIter
ImageRecordUInt8Iter = ImageRecordUInt8Iter_v1 = partial(ImageRecordIter, dtype="uint8")
ImageRecordInt8Iter = refused("io.ImageRecordInt8Iter", "read the records with mx.image.ImageIter(dtype=...)")
ImageDetRecordIter = refused("io.ImageDetRecordIter", "read the records with mx.image.ImageDetIter")
