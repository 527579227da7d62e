"""A pool of threads that wait for child processes, one for each processor, or fewer where that is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

#: How many child processes may run at once; None lets the machine decide.
MOST: ContextVar[int | None] = ContextVar("MOST", default=None)


def in_threads(one: Callable[..., T], *arguments: Iterable[Any]) -> list[T]:
    """Return `one(*arguments)` for the items of the sequences `arguments`, in order, computed in threads."""
    # It imports the module for logs, which most commands can do without.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(MOST.get() or os.cpu_count() or 1) as pool:
        return list(pool.map(one, *arguments))
