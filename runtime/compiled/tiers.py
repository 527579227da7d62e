"""Which engine compiles a graph for new sizes: one that makes native code, or at first its stand-in.

Native code for a size takes a tenth of a second and more, a call without it about a millisecond. Text in buckets,
pictures of mixed sizes and the last batch of an epoch bring new sizes that may be called once. So the first size of a
graph has native code at once, and each further one when it has been called often. Code for a large graph takes seconds:
its first size has it after a few calls, which shows that there will be more.
"""

from __future__ import annotations

import os
from collections.abc import Hashable

from hybridlint.runtime.compiled.engines.protocol import Engine

VARIABLE = "HYBRIDLINT_NATIVE_AFTER"
#: Calls after which a further size gets native code, unless the environment variable says another number.
CALLS = 32
#: Nodes of a graph that is large, and the calls after which its first size gets native code, if these are fewer.
LARGE, FIRST_CALLS = 150, 4
#: Sizes whose calls are counted; the counts of the oldest go first.
_MOST = 4096


class Tiers:
    """Chooses engines for the graphs of one CachedOp. A `use` is a mode, in which sizes share their first."""

    def __init__(self) -> None:
        self._native: set[Hashable] = set()
        self._calls: dict[Hashable, int] = {}

    def engine(self, engine: Engine, use: Hashable, key: Hashable, nodes: int) -> Engine:
        """Return the engine that compiles a graph for the sizes in `key`: `engine`, or its stand-in."""
        calls, first = _calls_before_native(), use not in self._native
        self._native.add(use)
        if engine.stand_in is None or calls == 0 or (first and nodes <= LARGE):
            return engine
        self._calls.setdefault(key, max(1, calls - FIRST_CALLS + 1) if first else 1)
        while len(self._calls) > _MOST:
            self._calls.pop(next(iter(self._calls)), None)
        return engine.stand_in

    def is_waiting(self, key: Hashable) -> bool:
        """Return whether a stand-in runs these sizes."""
        return key in self._calls

    def is_due(self, key: Hashable) -> bool:
        """Count a call, and return whether these sizes get native code now."""
        calls = self._calls.get(key)
        if calls is None:
            return False
        if calls < _calls_before_native():
            self._calls[key] = calls + 1
            return False
        self._calls.pop(key, None)
        return True


def _calls_before_native() -> int:
    given = os.environ.get(VARIABLE, "")
    return int(given) if given.isdecimal() else CALLS
