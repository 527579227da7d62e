"""A pool of threads that wait for child processes, one for each processor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_threads(one: Callable[..., T], *arguments: Iterable[Any]) -> list[T]:
    """Return `one(*arguments)` for the items of the sequences `arguments`, in order, computed in threads."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, *arguments))
