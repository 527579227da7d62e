"""``mx.gluon.data.sampler``: the order in which the elements of a data set are visited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from typing import Any

import numpy as np

__all__ = ["BatchSampler", "FilterSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler:
    """An iterable over indices with a length; subclasses define both."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} does not implement __iter__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} does not implement __len__")


class SequentialSampler(Sampler):
    """`length` consecutive indices from `start` on."""

    def __init__(self, length: int, start: int = 0) -> None:
        self._length = length
        self._start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """The indices below `length` in a random order drawn from numpy's global generator."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[int]:
        # Drawn as in MXNet, so that the same numpy seed gives the same order.
        indices = np.arange(self._length)
        np.random.shuffle(indices)
        return iter(indices.tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """The indices of the elements of `dataset` for which `fn` is true."""

    def __init__(self, fn: Callable[[Any], Any], dataset: Any) -> None:
        self._fn = fn
        self._dataset = dataset
        self._indices = [k for k in range(len(dataset)) if fn(dataset[k])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(Sampler):
    """Lists of `batch_size` indices from another sampler.

    `last_batch` says how to treat a shorter last list: ``"keep"`` it, ``"discard"`` it, or ``"rollover"`` its indices
    to the next iteration. Iteration raises ValueError for other values.
    """

    def __init__(self, sampler: Any, batch_size: int, last_batch: str = "keep") -> None:
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._prev: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._prev = self._prev, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if not batch:
            return
        if self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._prev = batch
        elif self._last_batch != "discard":
            raise self._unknown()

    def __len__(self) -> int:
        size = self._batch_size
        if self._last_batch == "keep":
            return (_length(self._sampler) + size - 1) // size
        if self._last_batch == "discard":
            return _length(self._sampler) // size
        if self._last_batch == "rollover":
            return (len(self._prev) + _length(self._sampler)) // size
        raise self._unknown()

    def _unknown(self) -> ValueError:
        return ValueError(f"last_batch must be one of 'keep', 'discard', or 'rollover', but got {self._last_batch}")


def _length(sampler: Sized) -> int:
    return len(sampler)
