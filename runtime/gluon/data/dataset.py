"""``mx.gluon.data.dataset``: data sets with indexed elements, views of them, and record files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridlint.runtime import recordio
from hybridlint.runtime.gluon.data.sampler import FilterSampler, Sampler, SequentialSampler
from hybridlint.runtime.gluon.utils import download
from hybridlint.runtime.ndarray.ndarray import NDArray

__all__ = ["ArrayDataset", "Dataset", "RecordFileDataset", "SimpleDataset"]


class Dataset:
    """Base class of data sets with indexed elements; subclasses define ``__getitem__`` and ``__len__``."""

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} does not implement __len__")

    def filter(self, fn: Callable[[Any], Any]) -> Dataset:
        """Return the elements for which `fn` is true. `fn` is called now, once per element."""
        return _SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> Dataset:
        """Return one of `num_shards` consecutive parts. If the length does not divide evenly, the first have one more.

        Raises AssertionError for an index out of range.
        """
        if not 0 <= index < num_shards:
            raise AssertionError(f"Shard index of out bound: {index} out of {num_shards}")
        size, longer = divmod(len(self), num_shards)
        start = size * index + min(index, longer)
        return _SampledDataset(self, SequentialSampler(size + (index < longer), start))

    def take(self, count: int | None) -> Dataset:
        """Return the first `count` elements, or all for None."""
        length = len(self) if count is None else min(count, len(self))
        return _SampledDataset(self, SequentialSampler(length))

    def sample(self, sampler: Sampler) -> Dataset:
        """Return the elements whose indices a sampler yields. Raises TypeError if `sampler` is not a Sampler."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"Invalid sampler type: {type(sampler)}. Expected gluon.data.Sampler instead.")
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """Return the elements with `fn` applied: on access, or now if `lazy` is false.

        If an element is a tuple, its parts are passed as separate arguments.
        """
        transformed = _LazyTransformDataset(self, fn)
        return transformed if lazy else SimpleDataset([transformed[k] for k in range(len(transformed))])

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> Dataset:
        """Return the elements with `fn` applied to their first part, which is the data if a label follows."""
        return self.transform(_TransformFirstClosure(fn), lazy)


class SimpleDataset(Dataset):
    """A data set over any object with indices and a length."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        return self._data[idx]


class _LazyTransformDataset(Dataset):
    """Elements with a function applied on access."""

    def __init__(self, data: Any, fn: Callable[..., Any]) -> None:
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


class _TransformFirstClosure:
    """A function applied to the first part of an element. A class, so that it can be pickled for worker processes."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        """Return the element with its first part changed."""
        return (self._fn(x), *args) if args else self._fn(x)


class _SampledDataset(Dataset):
    """The elements whose indices a sampler yielded on construction, in that order."""

    def __init__(self, dataset: Any, sampler: Any) -> None:
        self._dataset = dataset
        self._sampler = sampler
        self._indices = list(sampler)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]


class _FilteredDataset(_SampledDataset):
    """The elements for which a function is true."""

    def __init__(self, dataset: Any, fn: Callable[[Any], Any]) -> None:
        super().__init__(dataset, FilterSampler(fn, dataset))


class ArrayDataset(Dataset):
    """Tuples of corresponding elements of several sequences of equal length; of one sequence, its elements.

    1D arrays give numpy scalars. Raises AssertionError without sequences, or if their lengths differ.
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise AssertionError("Needs at least 1 arrays")
        self._length = len(args[0])
        self._data: list[Any] = []
        for place, data in enumerate(args):
            if len(data) != self._length:
                raise AssertionError(
                    f"All arrays must have the same length; array[0] has length {self._length} "
                    f"while array[{place}] has {len(data)}."
                )
            self._data.append(data.asnumpy() if isinstance(data, NDArray) and len(data.shape) == 1 else data)

    def __getitem__(self, idx: Any) -> Any:
        return self._data[0][idx] if len(self._data) == 1 else tuple(data[idx] for data in self._data)

    def __len__(self) -> int:
        return self._length


class RecordFileDataset(Dataset):
    """The records of a record file, as bytes. The index file has the same name with the extension ``.idx``."""

    def __init__(self, filename: str) -> None:
        self.idx_file = os.path.splitext(filename)[0] + ".idx"
        self.filename = filename
        self._record = recordio.MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: Any) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)


class _DownloadedDataset(Dataset):
    """Images and labels from downloaded files; subclasses define `_get_data`, which sets `_data` and `_label`."""

    def __init__(self, root: str, transform: Callable[..., Any] | None) -> None:
        self._transform = transform
        self._data: Any = None
        self._label: Any = None
        self._root = os.path.expanduser(root)
        os.makedirs(self._root, exist_ok=True)
        self._get_data()

    def __getitem__(self, idx: Any) -> Any:
        data, label = self._data[idx], self._label[idx]
        return (data, label) if self._transform is None else self._transform(data, label)

    def __len__(self) -> int:
        return len(self._label)

    def _get_data(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not implement _get_data")

    def _fetch(self, url: str, sha1: str) -> str:
        """Return the path of a file in the folder, downloading it if missing. Raises OSError if that fails."""
        try:
            return download(url, path=self._root, sha1_hash=sha1)
        except OSError as error:
            name = url.rpartition("/")[2]
            raise OSError(
                f"{type(self).__name__} needs {name}, which could not be downloaded ({error}): put it into {self._root}"
            ) from error


def as_rows(values: Any) -> NDArray:
    """Return a numpy array as an NDArray of the same dtype, sharing memory if it is contiguous."""
    return NDArray(np.ascontiguousarray(values))
