"""``mx.gluon.contrib.data.sampler``: every n-th element."""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.runtime.gluon.data.sampler import Sampler

__all__ = ["IntervalSampler"]


class IntervalSampler(Sampler):
    """Every `interval`-th index below `length`. With `rollover`, continue from 1, 2 and so on until all are visited.

    Raises AssertionError if the interval is longer than `length`.
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
        # The same without rollover, as in MXNet.
        return self._length
