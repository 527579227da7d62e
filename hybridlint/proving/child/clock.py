"""A clock that excludes the time a process waits for a processor, so that a busy machine changes no outcome.

It never goes slower than at half the pace of other clocks: a proof takes twice its limit at most, however busy the
machine is.
"""

from __future__ import annotations

import time

_NANOSECOND = 1e-9


#: The least pace of the clock.
LEAST_PACE = 0.5


class PacedClock:
    """A clock that may run behind another clock, but never slower than `LEAST_PACE` of it."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._last = 0.0

    def read(self, at: float, waited: float) -> float:
        """Return the seconds at the time `at`, with all seconds up to then that do not count."""
        least = at - waited if self._at is None else self._last + LEAST_PACE * (at - self._at)
        self._at, self._last = at, max(least, at - waited)
        return self._last


_CLOCK = PacedClock()


def now() -> float:
    """Return the seconds of a monotonic clock, without the time in which this process was ready but not running.

    If the system does not report waiting times, none is subtracted.
    """
    return _CLOCK.read(time.monotonic(), waiting_seconds("self"))


def waiting_seconds(process: str) -> float:
    """Return the seconds that a process was ready but not running since it began; 0 if unknown."""
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) * _NANOSECOND
    except (OSError, ValueError, IndexError):
        return 0.0
