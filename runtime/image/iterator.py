"""``mx.image.ImageIter``: batches of images from records or from files."""

from __future__ import annotations

import io
import logging
import os
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime import recordio
from hybridlint.runtime.base import DamagedFileError, MXNetError
from hybridlint.runtime.core.regular_files import open_regular, read_file
from hybridlint.runtime.image.augmenters import Augmenter
from hybridlint.runtime.image.choices import CreateAugmenter
from hybridlint.runtime.image.files import imdecode
from hybridlint.runtime.io.batches import DataBatch, DataDesc, DataIter
from hybridlint.runtime.ndarray.ndarray import NDArray


class ImageIter(DataIter):
    """Batches (N, C, height, width) of augmented images with labels (N,) or (N, label_width).

    Images come from a file of records (`path_imgrec`, with `path_imgidx` for any order), or from files below
    `path_root` that `imglist` ([label, name] each) or the file `path_imglist` (number, labels, name by tabs) lists.
    `last_batch_handle` fills a last batch up (``pad``), leaves it out (``discard``) or keeps it for the next epoch
    (``roll_over``). Raises ValueError for another shape, AssertionError without images.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Sequence[int],
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: list[Any] | None = None,
        imglist: Any = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ) -> None:
        super().__init__(batch_size)
        if not (path_imgrec or path_imglist or isinstance(imglist, list)):
            raise AssertionError("ImageIter needs path_imgrec, path_imglist or imglist")
        if dtype not in {"int32", "float32", "int64", "float64"}:
            raise AssertionError(f"{dtype} label not supported")
        self.imgrec: Any = None
        self.seq: list[Any] | None = None
        self.imglist: dict[Any, tuple[Any, str]] | None = None
        self.path_root = path_root
        self.dtype = dtype
        if path_imgrec:
            logging.info("%s: loading recordio %s...", type(self).__name__, path_imgrec)
            self._open_records(path_imgrec, path_imgidx)
        if path_imglist or isinstance(imglist, list):
            logging.info("%s: loading image list%s...", type(self).__name__, f" {path_imglist}" if path_imglist else "")
            self.imglist = _listed(path_imglist, imglist)
            self.seq = list(self.imglist)
        self.check_data_shape(data_shape)
        self.data_shape = tuple(data_shape)
        self.label_width = label_width
        self.provide_data = [DataDesc(data_name, (batch_size, *self.data_shape))]
        shape = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_label = [DataDesc(label_name, shape)]
        if shuffle and self.seq is None:
            raise AssertionError("shuffle needs path_imgidx: records can be read in any order with an index only")
        self.shuffle = shuffle
        self._take_part(part_index, num_parts)
        self.auglist: list[Any] = self._augmenters(data_shape, kwargs) if aug_list is None else aug_list
        self.last_batch_handle = last_batch_handle
        self.cur = 0
        # Samples of a batch that was not full.
        self._kept: list[tuple[NDArray, Any]] = []
        self.reset()

    def _augmenters(self, data_shape: Sequence[int], options: dict[str, Any]) -> list[Augmenter]:
        return CreateAugmenter(data_shape, **options)

    def _open_records(self, path: str, index: str | None) -> None:
        if index:
            self.imgrec = recordio.MXIndexedRecordIO(index, path, "r")
            self.seq = list(self.imgrec.keys)
        else:
            self.imgrec = recordio.MXRecordIO(path, "r")

    def _take_part(self, part: int, parts: int) -> None:
        if parts > 1 and self.seq is not None:
            if part >= parts:
                raise AssertionError(f"part_index {part} is out of {parts}")
            size = len(self.seq) // parts
            self.seq = self.seq[part * size : (part + 1) * size]

    def check_data_shape(self, data_shape: Sequence[int]) -> None:
        """Raise ValueError for a shape of images that is none, or that has not 3 channels."""
        if len(data_shape) != 3:
            raise ValueError("data_shape should have length 3, with dimensions CxHxW")
        if data_shape[0] != 3:
            raise ValueError("This iterator expects inputs to have 3 channels.")

    def check_valid_image(self, data: Sequence[NDArray]) -> None:
        """Raise RuntimeError for an image without pixels."""
        if len(data[0].shape) == 0:
            raise RuntimeError("Data shape is wrong")

    def reset(self) -> None:
        """Return to the first batch; rows that were kept for this epoch come first."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        if self.last_batch_handle != "roll_over":
            self._kept = []
        self._rewind()

    def hard_reset(self) -> None:
        """Return to the first batch, and discard rows that were kept."""
        self._kept = []
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        self._rewind()

    def _rewind(self) -> None:
        if self.imgrec is not None:
            self.imgrec.reset()
        self.cur = 0
        self._ended = False

    def next_sample(self) -> tuple[Any, bytes]:
        """Return label and image file of the next sample. Raises StopIteration at the end."""
        if self._ended:
            raise StopIteration
        if self.seq is None:
            return self._next_record()
        if self.cur >= len(self.seq):
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is not None:
            header, data = recordio.unpack(self.imgrec.read_idx(key))
            return (header.label if self.imglist is None else self.imglist[key][0]), data
        if self.imglist is None:
            raise AssertionError("there is neither a list of images nor a file of records")
        label, name = self.imglist[key]
        return label, self.read_image(name)

    def _next_record(self) -> tuple[Any, bytes]:
        record = self.imgrec.read()
        if record is None:
            raise StopIteration
        header, data = recordio.unpack(record)
        return header.label, data

    def read_image(self, fname: str) -> bytes:
        """Return the bytes of an image file below the root."""
        path = os.path.join(self.path_root or "", fname)
        try:
            return read_file(path)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise MXNetError(f"ImageIter cannot read {path!r}: {reason}") from None

    def imdecode(self, s: bytes) -> NDArray:
        """Return the pixels of an image file."""
        return imdecode(s)

    def augmentation_transform(self, data: NDArray) -> NDArray:
        """Return the image as the augmenters change it."""
        for augment in self.auglist:
            data = augment(data)
        return data

    def postprocess_data(self, datum: NDArray) -> NDArray:
        """Return the image with channels first."""
        first: NDArray = nd.transpose(datum, axes=(2, 0, 1))
        return first

    def _sample(self) -> tuple[NDArray, Any]:
        """Return the next image, augmented, and its label. Raises StopIteration at the end."""
        label, data = self.next_sample()
        image = self.imdecode(data)
        self.check_valid_image([image])
        return self.augmentation_transform(image), label

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        samples, self._kept = self._kept, []
        # As in MXNet, count the missing rows at the time they were kept, even though others fill their place.
        pad = self.batch_size - len(samples) if samples else 0
        samples += self._up_to(self.batch_size - len(samples))
        missing = self.batch_size - len(samples)
        if missing:
            if not samples or self.last_batch_handle == "discard":
                raise StopIteration
            if self.last_batch_handle == "roll_over":
                self._kept = samples
                raise StopIteration
            pad = missing
            samples += self._from_beginning(missing)
        return self._batch(samples, pad)

    def _up_to(self, count: int) -> list[tuple[NDArray, Any]]:
        """Return up to `count` of the next samples."""
        return [sample for _, sample in zip(range(count), iter(self._sample_or_none, None), strict=False)]

    def _sample_or_none(self) -> tuple[NDArray, Any] | None:
        try:
            return self._sample()
        except StopIteration:
            return None

    def _from_beginning(self, count: int) -> list[tuple[NDArray, Any]]:
        """Return samples that fill a batch up; there are none left after them."""
        samples: list[tuple[NDArray, Any]] = []
        while len(samples) < count:
            self._rewind()
            samples += self._up_to(count - len(samples))
        self._ended = True
        return samples

    def _batch(self, samples: Sequence[tuple[NDArray, Any]], pad: int) -> DataBatch:
        data = nd.stack(*[self.postprocess_data(image) for image, _ in samples]).astype(self.dtype)
        return DataBatch([data], [self._labels([label for _, label in samples])], pad=pad)

    def _labels(self, labels: Sequence[Any]) -> NDArray:
        shape = self.provide_label[0].shape
        return nd.array(np.asarray([np.asarray(label, np.float32) for label in labels]).reshape(shape))


def _listed(path: str | None, given: Any) -> dict[Any, tuple[Any, str]]:
    """Return number of each image -> label and name, from a file or a list."""
    found: dict[Any, tuple[Any, str]] = {}
    if path:
        try:
            with io.TextIOWrapper(open_regular(path), encoding="utf-8") as file:
                for line in file:
                    number, *labels, name = line.strip().split("\t")
                    found[int(number)] = (np.array([float(label) for label in labels], np.float32), name)
        except ValueError as error:
            raise DamagedFileError(f"{path!r} is no list of images, at line {len(found) + 1}: {error}") from None
        return found
    for place, (*labels, name) in enumerate(given, start=1):
        label = labels[0] if len(labels) == 1 else labels
        found[str(place)] = (np.asarray(label, np.float32).reshape(-1), name)
    return found
