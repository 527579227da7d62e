"""Batches of arrays in memory, and the base class of batch iterators."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.ndarray import NDArray, array
from hybridlint.runtime.ndarray.creation import is_of_scipy


class DataDesc(namedtuple("DataDesc", ["name", "shape"])):
    """Name and shape of an input, with its dtype and layout."""

    dtype: Any
    layout: str | None

    def __new__(cls, name: str, shape: Sequence[int], dtype: Any = np.float32, layout: str | None = "NCHW") -> DataDesc:
        """Make a description; it compares as a pair."""
        self = super().__new__(cls, name, tuple(shape))
        self.dtype, self.layout = dtype, layout
        return self

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """Return the dimension of the batch."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Any, types: Any) -> list[DataDesc]:
        """Return descriptions from pairs of names with shapes, and with types."""
        dtypes = dict(types or ())
        return [DataDesc(name, shape, dtypes.get(name, np.float32)) for name, shape in shapes]


class DataBatch:
    """Data and labels of one batch; `pad` is the number of rows at the end that do not count."""

    def __init__(
        self,
        data: list[NDArray],
        label: list[NDArray] | None = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ) -> None:
        for what, given in (("Data", data), ("Label", label)):
            if given is not None and not isinstance(given, (list, tuple)):
                raise AssertionError(f"{what} must be list of NDArrays")
        self.data, self.label, self.pad, self.index = data, label, pad, index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        labels = [x.shape for x in self.label] if self.label else None
        return f"{type(self).__name__}: data shapes: {[x.shape for x in self.data]} label shapes: {labels}"


class DataIter:
    """The base of iterators over batches: subclasses define `iter_next` and the ``get`` methods."""

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> Iterator[DataBatch]:
        return self

    def __next__(self) -> DataBatch:
        return self.next()

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""

    def iter_next(self) -> bool:
        """Go to the next batch and return whether there is one."""
        raise NotImplementedError(f"{type(self).__name__} does not implement iter_next")

    def getdata(self) -> Any:
        """Return the data of the batch."""
        raise NotImplementedError(f"{type(self).__name__} does not implement getdata")

    def getlabel(self) -> Any:
        """Return the labels of the batch."""
        raise NotImplementedError(f"{type(self).__name__} does not implement getlabel")

    def getindex(self) -> Any:
        """Return the row numbers, or None if unknown."""
        return None

    def getpad(self) -> int:
        """Return how many rows at the end of the batch do not count."""
        raise NotImplementedError(f"{type(self).__name__} does not implement getpad")


class ResizeIter(DataIter):
    """Another iterator with `size` batches in an epoch, begun again as often as needed."""

    def __init__(self, data_iter: DataIter, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter, self.size, self.reset_internal = data_iter, size, reset_internal
        self.cur = 0
        self.current_batch: DataBatch | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["data_iter"], name)

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Go to the next batch and return whether there is one."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        if not self.iter_next() or self.current_batch is None:
            raise StopIteration
        return self.current_batch

    def getdata(self) -> Any:
        """Return the data of the batch."""
        return self._batch.data

    def getlabel(self) -> Any:
        """Return the labels of the batch."""
        return self._batch.label

    def getindex(self) -> Any:
        """Return the row numbers of the batch."""
        return self._batch.index

    def getpad(self) -> int:
        """Return how many rows at the end of the batch do not count."""
        return self._batch.pad or 0

    @property
    def _batch(self) -> DataBatch:
        assert self.current_batch is not None
        return self.current_batch


class NDArrayIter(DataIter):
    """Batches of arrays in memory: one array, a list, or several by name. The same holds for labels.

    `last_batch_handle` says how to treat a shorter last batch: fill it from the beginning (``pad``), drop it
    (``discard``) or keep its rows for the next epoch (``roll_over``). The first array of data has as many rows as an
    epoch; of others the rest is left out, except from a last batch that is filled, as on MXNet.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(batch_size)
        if last_batch_handle != "discard" and any(_is_csr(given) for given in (data, label)):
            raise NotImplementedError(
                "`NDArrayIter` only supports ``CSRNDArray`` with `last_batch_handle` set to `discard`."
            )
        self.data, self.label = (
            [(name, _plain(value)) for name, value in named(given, default)]
            for given, default in ((data, data_name), (label, label_name))
        )
        self.num_data = len(self.data[0][1])
        self.idx = np.arange(self.num_data)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.layout = layout
        self.cursor = -batch_size
        #: The rows of the last epoch's end that the first batch begins with, by name.
        self._kept_: dict[str, Any] = {}
        self.reset()

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data of a batch."""
        return self._described_(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels of a batch."""
        return self._described_(self.label)

    def _described_(self, arrays: Sequence[tuple[str, Any]]) -> list[DataDesc]:
        return [DataDesc(n, (self.batch_size, *x.shape[1:]), x.dtype.type, self.layout) for n, x in arrays]

    def hard_reset(self) -> None:
        """Return to the first batch, and discard the rows that were kept for the next epoch."""
        self._shuffle_()
        self.cursor = -self.batch_size

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""
        over = self.last_batch_handle == "roll_over" and 0 < self.num_data - self.cursor < self.batch_size
        if over:
            self._kept_ = {name: rows[self.cursor : self.num_data] for name, rows in self.data + self.label}
        self._shuffle_()
        self.cursor = self.cursor - self.num_data - self.batch_size if over else -self.batch_size

    def _shuffle_(self) -> None:
        """Shuffle the numbers of rows, and take the rows of the epoch before by them."""
        if self.shuffle:
            np.random.shuffle(self.idx)
            self.data, self.label = (
                [(name, rows[self.idx]) for name, rows in arrays] for arrays in (self.data, self.label)
            )

    def iter_next(self) -> bool:
        """Go to the next batch and return whether there is one."""
        self.cursor += self.batch_size
        left = self.num_data - self.cursor
        if self.last_batch_handle == "pad":
            return left > 0
        if 0 < left < self.batch_size:
            # MXNet reads these rows too, which it leaves out or keeps.
            for _, rows in self.data + self.label:
                _require_row(self.num_data - 1, rows)
        return left >= self.batch_size

    def getdata(self) -> list[NDArray]:
        """Return the data of the batch."""
        return [self._rows_(name, rows) for name, rows in self.data]

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the batch."""
        return [self._rows_(name, rows) for name, rows in self.label]

    def getpad(self) -> int:
        """Return how many rows at the end of the batch do not count."""
        if self.last_batch_handle == "roll_over" and -self.batch_size < self.cursor < 0:
            return -self.cursor
        return max(0, self.cursor + self.batch_size - self.num_data) if self.last_batch_handle == "pad" else 0

    def _rows_(self, name: str, data: Any) -> NDArray:
        start, stop = self.cursor, self.cursor + self.batch_size
        if start < 0:
            return array(np.concatenate([self._kept_[name], data[:stop]]), dtype=data.dtype)
        if stop <= self.num_data:
            _require_row(stop - 1, data)
            return array(data[start:stop], dtype=data.dtype)
        if len(data) == self.num_data:
            return array(data[np.arange(start, stop) % self.num_data], dtype=data.dtype)
        _require_row(start, data)
        return array(np.concatenate([data[start:], data[: stop % self.num_data]]), dtype=data.dtype)


def _require_row(row: int, data: Any) -> None:
    if row >= len(data):
        raise MXNetError(f"a batch takes row {row} of an array of {len(data)} rows: labels are fewer than data")


def named(data: Any, default: str) -> list[tuple[str, Any]]:
    """Return arrays by name, sorted. Raises TypeError for other objects."""
    if data is None:
        return []
    if isinstance(data, (np.ndarray, NDArray)):
        data = [data]
    if isinstance(data, list):
        names = [default] if len(data) == 1 else [f"_{k}_{default}" for k in range(len(data))]
        data = dict(zip(names, data, strict=True))
    if not isinstance(data, Mapping):
        raise TypeError("Input must be NDArray, numpy.ndarray, a list of them or dict with them as values")
    return [(name, data[name]) for name in sorted(data)]


def _is_csr(given: Any) -> bool:
    """Whether the input of an iterator has a csr array."""
    parts = given.values() if isinstance(given, Mapping) else given if isinstance(given, (list, tuple)) else [given]
    return any(is_of_scipy(part) or (isinstance(part, NDArray) and part.stype == "csr") for part in parts)


def _plain(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else array(value).asnumpy()
