"""``mx.gluon.contrib.data.sampler``: every n-th element."""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.runtime.gluon.data.sampler import Sampler

__all__ = ["IntervalSampler"]


class IntervalSampler(Sampler):
    """Every `interval`-th index below `length`; with `rollover` then again from 1 on, until all are there.

    Raises AssertionError for an interval that is longer than all.
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        if interval > length:
            raise AssertionError(f"Interval {interval} must be smaller than or equal to length {length}")
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for start in range(self._interval if self._rollover else 1):
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        # Without rollover as well, as MXNet says.
        return self._length
