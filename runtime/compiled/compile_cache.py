"""An LRU cache of compiled functions, keyed by input types."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

#: How many sizes of a batch, or lengths of a sequence, a graph stays compiled for. A program that goes on and on with
#: other sizes compiles again instead of growing.
MOST = 128


class CompileCache(Generic[Key, Value]):
    """At most `most` values; the one that was not used for longest goes first.

    Threads may share it. It has no lock, which a fork could find held: each step is one of the dictionary.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = MOST if most is None else most
        self._held: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, None if there is none."""
        found = self._held.get(key)
        if found is not None:
            # Another thread may have removed it since.
            with suppress(KeyError):
                self._held.move_to_end(key)
        return found

    def keep(self, key: Key, value: Value) -> Value:
        """Add a value and return it."""
        self._held[key] = value
        while len(self._held) > self._most:
            with suppress(KeyError):
                self._held.popitem(last=False)
        return value

    def items(self) -> Iterator[tuple[Key, Value]]:
        """Return all entries, the least recently used first."""
        return iter(list(self._held.items()))

    def __len__(self) -> int:
        return len(self._held)
