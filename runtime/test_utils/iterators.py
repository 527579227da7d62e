"""Iterators for tests: one batch, again and again."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.io import DataIter


class DummyIter(DataIter):
    """An iterator that gives the first batch of another one without end."""

    def __init__(self, real_iter: Any) -> None:
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data = real_iter.provide_data
        self.provide_label = real_iter.provide_label
        self.the_batch = next(real_iter)

    def next(self) -> Any:
        """Return the batch."""
        return self.the_batch
