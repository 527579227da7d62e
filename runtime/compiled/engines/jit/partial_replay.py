"""Runs a graph that is entirely native code again, on an earlier call's values with some changed."""

from __future__ import annotations

from collections.abc import Sequence

from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment, SegmentMemory
from hybridlint.runtime.platforms import Raw


class PartialReplay:
    """Replaces the arrays of the values `changing`, and keeps all other arrays.

    `idle` has the memory that no other call uses.
    """

    __slots__ = ("_changing", "_idle", "_release", "_segment", "_slots", "_values")

    def __init__(
        self,
        segment: NativeSegment,
        idle: list[list[SegmentMemory | None]],
        values: Sequence[Raw],
        changing: Sequence[int],
        *,
        static_alloc: bool,
    ) -> None:
        self._segment, self._idle, self._release = segment, idle, not static_alloc
        self._changing = tuple(changing)
        self._values = [None if k in self._changing else raw for k, raw in enumerate(values)]
        #: Where in the table arrays stand that change: those that nothing uses are nowhere.
        self._slots = [(slot, self._changing.index(k)) for slot, k in segment.takes if k in self._changing]

    def run(self, arrays: Sequence[Raw]) -> Sequence[Raw]:
        """Run on arrays in place of those that change. Return the outputs."""
        try:
            memory = self._idle.pop()
        except IndexError:
            memory = [SegmentMemory(self._segment)]
        (held,) = memory
        assert held is not None
        try:
            copies: list[Raw] = []
            if held.repeats is not self:
                copies = self._prepare(arrays, held)
            else:
                for slot, k in self._slots:
                    if held.seen[slot]() is not arrays[k]:
                        copies.append(self._segment.take(slot, arrays[k], held))
            return self._segment.compute(held)
        finally:
            if self._release:
                held.release()
            self._idle.append(memory)

    def _prepare(self, arrays: Sequence[Raw], held: SegmentMemory) -> list[Raw]:
        """Put all arrays into the table. Return the arrays that must live until the run is over."""
        values = self._values.copy()
        for k, raw in zip(self._changing, arrays, strict=True):
            values[k] = raw
        copies = self._segment.take_all(values, held)
        fixed = (slot for slot, k in self._segment.takes if k not in self._changing)
        if all(held.seen[slot]() is not None for slot in fixed):
            held.repeats = self
        return copies
