"""Batches from files of numbers."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np

from hybridlint.runtime.base import DamagedFileError, MXNetError
from hybridlint.runtime.core.regular_files import open_regular
from hybridlint.runtime.io.batches import DataBatch, DataDesc, DataIter
from hybridlint.runtime.ndarray import array
from hybridlint.runtime.ndarray.ndarray import NDArray

#: A file of MNIST is not larger; compressed ones could become anything.
_MOST_BYTES = 1 << 30


class MXDataIter(DataIter):
    """Batches of rows in memory, as produced by MXNet's file iterators.

    With `round_batch`, a last batch is filled from the beginning, and the next epoch starts after these rows; without
    it, the missing rows keep the values of the previous batch. `pad` counts them in both cases.
    """

    def __init__(
        self,
        data: Any,
        label: Any,
        batch_size: int,
        round_batch: bool = True,
        data_name: str = "data",
        label_name: str = "softmax_label",
    ) -> None:
        super().__init__(batch_size)
        self._rows, self._labels = data, label
        self._round = round_batch
        self._first = 0
        self._next = 0
        self._places = np.arange(batch_size)
        self._pad = 0
        self.provide_data = [DataDesc(data_name, (batch_size, *data.shape[1:]), data.dtype.type)]
        self.provide_label = [DataDesc(label_name, (batch_size, *label.shape[1:]), label.dtype.type)]

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""
        self._first = self._next = max(self._next - len(self._rows), 0) if self._round else 0

    def iter_next(self) -> bool:
        """Go to the next batch and return whether there is one."""
        left = len(self._rows) - self._next
        if left <= 0:
            return False
        wanted = np.arange(self._next, self._next + self.batch_size)
        self._places = (
            wanted % len(self._rows) if self._round else np.where(wanted < len(self._rows), wanted, self._places)
        )
        self._pad = max(self.batch_size - left, 0)
        self._next += self.batch_size
        return True

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def getdata(self) -> NDArray:
        """Return the data of the batch: one array, where iterators written in Python give a list."""
        return array(self._rows[self._places], dtype=self._rows.dtype)

    def getlabel(self) -> NDArray:
        """Return the labels of the batch."""
        return array(self._labels[self._places], dtype=self._labels.dtype)

    def getindex(self) -> Any:
        """Return the numbers of the rows."""
        return self._places

    def getpad(self) -> int:
        """Return how many rows at the end of the batch do not count."""
        return self._pad


def CSVIter(
    *,
    data_csv: str,
    data_shape: Any,
    batch_size: int,
    label_csv: str | None = None,
    label_shape: Any = (1,),
    round_batch: bool = True,
    dtype: Any = "float32",
    data_name: str = "data",
    label_name: str = "softmax_label",
    **ignored: Any,
) -> MXDataIter:
    """Return batches of the rows of a CSV file, each in `data_shape`, with labels of another one, or zeros.

    Raises MXNetError for a file that is not there, or has rows of another length. Options of speed are ignored.
    """
    data = _read(data_csv, data_shape, dtype)
    label = np.zeros((len(data), 1), data.dtype) if label_csv is None else _read(label_csv, label_shape, dtype)
    flat = label[:, 0] if label.shape[1:] == (1,) else label
    return MXDataIter(data, flat, batch_size, round_batch, data_name, label_name)


def _read(path: str, shape: Any, dtype: Any) -> Any:
    try:
        open_regular(path).close()
        rows = np.loadtxt(path, delimiter=",", ndmin=2, dtype=dtype)
    except OSError as error:
        raise MXNetError(f"CSVIter cannot read {path!r}: {error.strerror or error}") from None
    except (ValueError, OverflowError) as error:
        raise DamagedFileError(f"CSVIter: {path!r} is no table of numbers: {error}") from None
    if rows.shape[1] != int(np.prod(shape)):
        raise MXNetError(
            f"CSVIter: rows of {path!r} have {rows.shape[1]} numbers, which are not of shape {tuple(shape)}"
        )
    return rows.reshape(len(rows), *shape)


def MNISTIter(
    *,
    image: str,
    label: str,
    batch_size: int = 128,
    shuffle: bool = True,
    flat: bool = False,
    seed: int = 0,
    num_parts: int = 1,
    part_index: int = 0,
    data_name: str = "data",
    label_name: str = "softmax_label",
    **ignored: Any,
) -> MXDataIter:
    """Return batches of the images of a file of MNIST, from 0 to 1, (N, 1, height, width) or `flat`."""
    (height, width), pixels = _mnist(image, 16)
    numbers = _mnist(label, 8)[1].astype(np.float32)
    if len(pixels) != height * width * len(numbers):
        raise DamagedFileError(
            f"MNISTIter: {image!r} has {len(pixels)} pixels, not {height} x {width} for each label of {label!r}"
        )
    part = len(numbers) // num_parts
    rows = slice(part * part_index, part * (part_index + 1))
    data, numbers = pixels.reshape(-1, height, width)[rows].astype(np.float32) / 256, numbers[rows]
    order = np.random.default_rng(seed).permutation(len(data)) if shuffle else np.arange(len(data))
    data = data.reshape(len(data), -1) if flat else data[:, None]
    whole = len(data) // batch_size * batch_size
    return MXDataIter(data[order][:whole], numbers[order][:whole], batch_size, True, data_name, label_name)


def _mnist(path: str, head: int) -> tuple[tuple[int, ...], Any]:
    """Return the sizes of a file's rows, and its bytes."""
    try:
        with open_regular(path) as plain, gzip.open(plain) if path.endswith(".gz") else plain as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise MXNetError(f"MNISTIter cannot read {path!r}: {reason}") from None
    if not head <= len(content) <= _MOST_BYTES:
        raise DamagedFileError(f"MNISTIter: {path!r} is no file of MNIST, by its size")
    sizes = np.frombuffer(content[8:head], ">u4")
    return tuple(int(size) for size in sizes), np.frombuffer(content, np.uint8, offset=head)
