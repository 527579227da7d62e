"""The clock by which the parent limits a proof: it goes slowly while the proof's processes wait for a processor."""

from __future__ import annotations

import time

from hybridlint.proving.child.clock import PacedClock, waiting_seconds
from hybridlint.proving.child.process_tree import below

#: Seconds between looks at which processes there are.
_LOOKED = 1.0


class ProofClock:
    """A clock of a process and its descendants, as a block runs in another process than the started one.

    They work one after another: while one process runs or waits for a processor, the others wait for its message. So
    their waiting times add up. An ended process keeps the last waiting time that was seen. If two processes wait at
    once, the clock runs slowly, but never back.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._waited: dict[int, float] = {process: 0.0}
        self._running = [process]
        self._looked: float | None = None
        self._clock = PacedClock()

    def now(self) -> float:
        """Return the seconds of a monotonic clock, without the time in which the processes waited for a processor."""
        at = time.monotonic()
        if self._looked is None or at - self._looked >= _LOOKED:
            self._looked = at
            self._running = [self._process, *below(self._process)]
        for process in self._running:
            self._waited[process] = max(self._waited.get(process, 0.0), waiting_seconds(str(process)))
        return self._clock.read(at, sum(self._waited.values()))
