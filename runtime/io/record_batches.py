"""Batches of images from a file of records, divided and filled as MXNet's iterator in C++ does."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.image.iterator import ImageIter
from hybridlint.runtime.io.batches import DataBatch
from hybridlint.runtime.recordio import MXIndexedRecordIO


class RecordBatches(ImageIter):
    """Images of records: with `round_batch` an epoch begins after the images that filled the last batch.

    Without it the missing images of the last batch are zeros, which count: MXNet leaves them as they were in memory.
    Raises MXNetError for a batch that is larger than all images of the part.
    """

    round_batch = True

    def __init__(self, *args: Any, equal_counts: bool, **kwargs: Any) -> None:
        self._equal_counts = equal_counts
        self._skipped = self._filled = 0
        super().__init__(*args, **kwargs)

    def _take_part(self, part: int, parts: int) -> None:
        if parts == 1 or self.seq is None:
            super()._take_part(part, parts)
            return
        if self._equal_counts or not isinstance(self.imgrec, MXIndexedRecordIO):
            size = -(-len(self.seq) // parts)
            self.seq = self.seq[part * size : (part + 1) * size]
            return
        size = -(-os.path.getsize(self.imgrec.uri) // parts)
        first = size * part
        self.seq = [key for key in self.seq if first <= self.imgrec.idx[key] < first + size]

    def reset(self) -> None:
        """Return to the first batch, for another epoch."""
        super().reset()
        self._skipped = self._filled if self.round_batch else 0
        self._filled = 0
        with suppress(StopIteration):
            for _ in range(self._skipped):
                self.next_sample()

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        samples = self._up_to(self.batch_size)
        missing = self.batch_size - len(samples)
        if not samples:
            raise StopIteration
        if missing and self.round_batch:
            self._rewind()
            more = self._up_to(missing)
            if len(more) < missing:
                raise MXNetError("number of input images must be bigger than the batch size")
            samples += more
            self._ended, self._filled = True, missing
        elif missing:
            image, label = samples[0]
            samples += [(nd.zeros_like(image), np.zeros_like(label))] * missing
            self._ended, missing = True, 0
        batch = self._batch(samples, missing)
        batch.index = np.zeros(self.batch_size, np.uint64)
        return batch
