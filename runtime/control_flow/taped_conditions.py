"""Conditions of traced loops that MXNet 1.9.1 cannot evaluate twice under ``autograd.record()``.

MXNet evaluates the condition of a hybridized ``while_loop`` with recording on, each time into the same array. Where the
condition reads an array that is on the tape, the first evaluation puts that array there too, and the second raises. An
array is on the tape if it is an input of the graph with a gradient, or, in a graph so small that its nodes are recorded
one by one, is computed from one. Measured on MXNet 1.9.1.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.tape_errors import ASSIGNED


class _Running(threading.local):
    """The conditions that this thread may evaluate but once, by identity."""

    once: frozenset[int] = frozenset()


_running = _Running()


@contextmanager
def evaluated_once(conditions: frozenset[int]) -> Iterator[None]:
    """Let a second evaluation of each of these conditions raise MXNetError, in this thread."""
    before, _running.once = _running.once, conditions
    try:
        yield
    finally:
        _running.once = before


def require_first(condition: object, steps: int) -> None:
    """Raise MXNetError if a condition (a Symbol) comes after some steps and may be evaluated but once."""
    if steps and id(condition) in _running.once:
        raise MXNetError(
            f"{ASSIGNED} A hybridized while_loop cannot be recorded whose condition reads an input with a gradient: "
            "give it a counter of its own, such as F.zeros((1,))."
        )
