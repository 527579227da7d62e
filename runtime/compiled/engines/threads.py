"""The number of threads that an engine may use."""

from __future__ import annotations

import os


def wished_threads() -> int:
    """Return the number in OMP_NUM_THREADS, which MXNet reads too, else the number of this process's cores."""
    wished = os.environ.get("OMP_NUM_THREADS", "")
    if wished.isdecimal() and int(wished):
        return int(wished)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
