"""Batches that are made ahead, by a thread for each iterator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from hybridlint.runtime.io.batches import DataBatch, DataDesc, DataIter
from hybridlint.runtime.ndarray.ndarray import NDArray

Names = Sequence[Mapping[str, str]]


class PrefetchingIter(DataIter):
    """The batches of one or several iterators side by side, each made one ahead.

    `rename_data` and `rename_label` have a dict of old and new names for each. Raises AssertionError for no iterator.
    """

    def __init__(self, iters: Any, rename_data: Names | None = None, rename_label: Names | None = None) -> None:
        super().__init__()
        self.iters: list[Any] = list(iters) if isinstance(iters, (list, tuple)) else [iters]
        if not self.iters:
            raise AssertionError("there is no iterator to prefetch from")
        self.n_iter = len(self.iters)
        self.rename_data = rename_data
        self.rename_label = rename_label
        self.batch_size = self.provide_data[0][1][0]
        self.current_batch: DataBatch | None = None
        self._threads = ThreadPoolExecutor(self.n_iter)
        self._ahead: list[Future[DataBatch | None]] = self._ask()

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data of a batch."""
        return _renamed([i.provide_data for i in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels of a batch."""
        return _renamed([i.provide_label for i in self.iters], self.rename_label)

    def _ask(self) -> list[Future[DataBatch | None]]:
        return [self._threads.submit(next, each, None) for each in self.iters]

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""
        for batch in self._ahead:
            batch.result()
        for each in self.iters:
            each.reset()
        self._ahead = self._ask()

    def iter_next(self) -> bool:
        """Advance to the next batch and return whether there is one. Raises AssertionError if only some have one."""
        batches = [batch.result() for batch in self._ahead]
        found = [batch for batch in batches if batch is not None]
        if not found:
            return False
        if len(found) != self.n_iter or len({batch.pad for batch in found}) > 1:
            raise AssertionError("Different pad or number of batches in data iterators")
        self.current_batch = DataBatch(
            [array for batch in found for array in batch.data],
            [array for batch in found for array in batch.label or ()],
            found[0].pad,
            found[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )
        self._ahead = self._ask()
        return True

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        if not self.iter_next():
            raise StopIteration
        return self._batch

    @property
    def _batch(self) -> DataBatch:
        if self.current_batch is None:
            raise AssertionError("no batch was asked for yet")
        return self.current_batch

    def getdata(self) -> list[NDArray]:
        """Return the data of the batch."""
        return self._batch.data

    def getlabel(self) -> list[NDArray]:
        """Return the labels of the batch."""
        return self._batch.label or []

    def getindex(self) -> Any:
        """Return the row numbers, or None if unknown."""
        return self._batch.index

    def getpad(self) -> int:
        """Return how many rows at the end of the batch do not count."""
        return self._batch.pad or 0


def _renamed(described: Sequence[Sequence[DataDesc]], names: Names | None) -> list[DataDesc]:
    if names is None:
        return [each for several in described for each in several]
    return [
        DataDesc(new.get(each.name, each.name), each.shape, each.dtype, each.layout)
        for new, several in zip(names, described, strict=True)
        for each in several
    ]
