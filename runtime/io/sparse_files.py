"""Batches from files of sparse rows, in the format of LibSVM: a label, then pairs ``column:value``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridlint.runtime.base import DamagedFileError, MXNetError
from hybridlint.runtime.core.regular_files import read_file
from hybridlint.runtime.core.storage_types import stored_array
from hybridlint.runtime.facts.storage import Csr
from hybridlint.runtime.io.files import MXDataIter
from hybridlint.runtime.ndarray import array
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.ops.storage.structure import rows_at_places


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of a matrix in compressed rows, counted and picked like those of an array."""

    held: Csr

    @property
    def shape(self) -> tuple[int, ...]:
        return self.held.shape

    @property
    def dtype(self) -> Any:
        return self.held.dtype

    def __len__(self) -> int:
        return self.held.shape[0]

    def __getitem__(self, places: Any) -> Csr:
        return rows_at_places(np, self.held, places)


class _SparseRows(MXDataIter):
    """Batches of sparse rows with labels."""

    def getdata(self) -> NDArray:
        """Return the data of the batch, in csr storage."""
        return _array(self._rows[self._places])

    def getlabel(self) -> NDArray:
        """Return the labels of the batch, in csr storage if they are from a file of their own."""
        return _array(self._labels[self._places])


def _array(value: Any) -> NDArray:
    return stored_array(value, NDArray) if isinstance(value, Csr) else array(value, dtype=value.dtype)


def LibSVMIter(
    *,
    data_libsvm: str,
    data_shape: Any,
    batch_size: int,
    label_libsvm: str | None = None,
    label_shape: Any = (1,),
    num_parts: int = 1,
    part_index: int = 0,
    round_batch: bool = True,
    dtype: Any = "float32",
    data_name: str = "data",
    label_name: str = "softmax_label",
    **ignored: Any,
) -> MXDataIter:
    """Return batches of a file's rows in csr storage, with labels from it or from another file.

    With `num_parts`, only one part is read. Raises MXNetError for a missing file, another format, or columns beyond
    `data_shape`. Options of speed are ignored.
    """
    held, labels = _read(data_libsvm, int(np.prod(data_shape)), dtype)
    labelled: Any = labels
    if label_libsvm not in {None, "NULL"}:
        own, _ = _read(str(label_libsvm), int(np.prod(label_shape)), dtype)
        if own.shape[0] != held.shape[0]:
            raise MXNetError(f"LibSVMIter: {held.shape[0]} rows of data have {own.shape[0]} rows of labels")
        labelled = _Rows(own)
    part = np.array_split(np.arange(held.shape[0]), num_parts)[part_index]
    rows = _Rows(rows_at_places(np, held, part))
    chosen = _Rows(labelled[part]) if isinstance(labelled, _Rows) else labelled[part]
    return _SparseRows(rows, chosen, batch_size, round_batch, data_name, label_name)


def _read(path: str, columns: int, dtype: Any) -> tuple[Csr, Any]:
    try:
        lines = read_file(path).decode("utf-8").splitlines()
    except OSError as error:
        raise MXNetError(f"LibSVMIter cannot read {path!r}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"LibSVMIter: {path!r} is no text: {error.reason} at byte {error.start}") from None
    labels, places, values, starts = [], [], [], [0]
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            label = float(words.pop(0)) if ":" not in words[0] else 0.0
            pairs = [(int(place), float(value)) for place, _, value in (word.partition(":") for word in words)]
        except ValueError as error:
            raise DamagedFileError(f"LibSVMIter: {path!r}, line {number}: {error}") from None
        if any(not 0 <= place < columns for place, _ in pairs):
            raise DamagedFileError(f"LibSVMIter: {path!r}, line {number}: a column is not below {columns}")
        labels.append(label)
        places += [place for place, _ in pairs]
        values += [value for _, value in pairs]
        starts.append(len(places))
    indices, indptr = np.array(places, "int64"), np.array(starts, "int64")
    return Csr((len(labels), columns), np.array(values, dtype), indices, indptr), np.array(labels, dtype)
