"""A clock that excludes the time a process waits for a processor, so that a busy machine changes no outcome."""

from __future__ import annotations

import time

_NANOSECOND = 1e-9


def now(process: str = "self") -> float:
    """Return the seconds of a monotonic clock, without the time in which a process was ready but not running.

    `process` is a process id as text. If the system does not report waiting times, none is subtracted.
    """
    return time.monotonic() - waited(process)


def waited(process: str) -> float:
    """Return the seconds that a process was ready but not running since it began, 0 if the system does not tell."""
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) * _NANOSECOND
    except (OSError, ValueError, IndexError):
        return 0.0
