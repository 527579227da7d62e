"""``mx.contrib.io``: Gluon data loaders as iterators for modules."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.io import DataDesc, DataIter
from hybridlint.runtime.ndarray.ndarray import NDArray


class DataLoaderIter(DataIter):
    """The batches of a `gluon.data.DataLoader` of pairs. A shorter last batch is padded with zeros."""

    def __init__(
        self, loader: Any, data_name: str = "data", label_name: str = "softmax_label", dtype: Any = "float32"
    ) -> None:
        super().__init__()
        self._loader = loader
        data, label = next(iter(loader))
        self.batch_size = data.shape[0]
        self.dtype = dtype
        self.provide_data = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, dtype)]
        self.reset()

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""
        self._iter = iter(self._loader)
        self._current_batch: Any = None

    def iter_next(self) -> bool:
        """Go to the next batch and return whether there is one."""
        self._current_batch = next(self._iter, None)
        return self._current_batch is not None

    def getdata(self) -> list[NDArray]:
        """Return the data of the batch."""
        return [self._filled(self._current_batch[0])]

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the batch."""
        return [self._filled(self._current_batch[1])]

    def getpad(self) -> int:
        """Return the number of padding rows at the end of the batch."""
        return int(self.batch_size - self._current_batch[0].shape[0])

    def _filled(self, rows: NDArray) -> NDArray:
        rows = rows.astype(self.dtype)
        if not self.getpad():
            return rows
        full = nd.zeros((self.batch_size, *rows.shape[1:]), dtype=self.dtype)
        full[: rows.shape[0]] = rows
        return full
