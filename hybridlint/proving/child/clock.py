"""A clock that stands still while a process waits for a processor: a busy machine changes no outcome."""

from __future__ import annotations

import time

_NANOSECOND = 1e-9


def now(process: str = "self") -> float:
    """Return the seconds of a steady clock, less those in which a process was ready to run and no processor was free.

    `process` is a number as text. Where the system does not tell how long it waited, nothing is taken off.
    """
    return time.monotonic() - _waited(process)


def _waited(process: str) -> float:
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) * _NANOSECOND
    except (OSError, ValueError, IndexError):
        return 0.0
