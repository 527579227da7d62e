"""Threads that wait for child processes: one for each processor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


def in_threads(one: Callable[[A, B], T], first: Iterable[A], second: Iterable[B]) -> list[T]:
    """Return the results of a function for pairs of arguments, in order. Child processes do the actual work."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, first, second))
