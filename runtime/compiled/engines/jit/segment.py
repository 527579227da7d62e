"""A part of a graph as native functions, with its memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.compiled.engines.jit.helpers import Team
from hybridlint.runtime.compiled.engines.jit.kernels import Pack
from hybridlint.runtime.compiled.engines.jit.teams import WORDS
from hybridlint.runtime.compiled.groups.kernels import Buffer, Kernel, Schedule
from hybridlint.runtime.compiled.groups.memory import LINE, Arena, arranged, laid_out
from hybridlint.runtime.core.writes import Watch, watch
from hybridlint.runtime.platforms import Platform, Raw


class Segment:
    """Takes arrays from a list of the graph's values, and puts those that it makes there.

    What is packed from given arrays, which are weights as a rule, is packed again only when these have changed.
    """

    def __init__(self, schedule: Schedule, makes: Sequence[tuple[int, tuple[int, ...]]], platform: Platform) -> None:
        self.makes = tuple(number for number, _ in makes)
        self.packs = tuple(k for k in schedule.kernels if isinstance(k, Pack) and k.source.buffer.given is not None)
        self.kernels = tuple(kernel for kernel in schedule.kernels if kernel not in self.packs)
        kept = [pack.target.buffer for pack in self.packs]
        self.arena: Arena = arranged(self.kernels, frozenset(kept))
        self.panels: Arena = laid_out(kept)
        self.platform = platform
        self.slots = len(schedule.buffers)
        self.tables = schedule.tables
        self._empty = platform.xp.empty
        self._takes = [(b.number, b.given) for b in schedule.buffers if b.given is not None]
        results = {b.result: b.number for b in schedule.buffers if b.result is not None}
        self._results = [(results[k], shape, number) for k, (number, shape) in enumerate(makes)]
        self._call: Callable[[int], None] | None = None
        self._team: Team | None = None
        self.pack_calls: list[tuple[Buffer, Callable[[int], None]]] = []

    def groups(self) -> Iterator[Sequence[Kernel]]:
        """Return its kernels as groups, each of which becomes a native function."""
        yield self.kernels
        yield from ((pack,) for pack in self.packs)

    def take(self, functions: Sequence[Callable[[int], None]], team: Team | None) -> None:
        """Take the native functions of its groups, and those of the team for the first one, if it is worth one."""
        self._call, *packing = functions
        self._team = team
        self.pack_calls = [(pack.source.buffer, call) for pack, call in zip(self.packs, packing, strict=True)]

    def run(self, values: list[Any], memory: Memory) -> None:
        """Compute, and put what it makes among the values."""
        assert self._call is not None
        table, seen = memory.table, memory.seen
        held = []
        for slot, number in self._takes:
            raw = values[number]
            if seen[slot] is not raw:
                table[slot], kept = _address(raw, self.platform)
                seen[slot] = raw if kept is raw else None
                held.append(kept)
        for k, packed in enumerate(memory.packed):
            source, call = self.pack_calls[k]
            if packed is None or not packed.holds(seen[source.number]):
                memory.note(k, source.number)
                call(memory.place)
        for slot, shape, number in self._results:
            made = values[number] = self._empty(shape, memory.dtype)
            table[slot] = address_of(made)
        if self._team is None:
            self._call(memory.place)
        else:
            self._team.run(memory.table, memory.words)


@dataclass(frozen=True, slots=True)
class _Packed:
    """The array from which panels were packed, and how often it had been written to."""

    origin: Raw
    watch: Watch
    count: int

    def holds(self, raw: Raw | None) -> bool:
        """Return whether panels were packed from this array, and it was not written to since."""
        return self.origin is raw and self.watch.count == self.count and self.watch.certain


class Memory:
    """What one run at a time needs: scratch, panels, the table of addresses, and the arrays that stand in it."""

    def __init__(self, segment: Segment) -> None:
        self.dtype = segment.platform.xp.dtype("float32")
        self.seen: list[Raw | None] = [None] * segment.slots
        self.table = (ctypes.c_void_p * max(segment.slots, 1))()
        self.place = ctypes.addressof(self.table)
        self.words = (ctypes.c_uint64 * WORDS)()
        self._segment = segment
        for buffer, raw in segment.tables.items():
            self.table[buffer.number] = address_of(raw)
        self._panels = self._block(segment.panels)
        self._scratch: Raw | None = None
        self.packed: list[_Packed | None] = [None] * len(segment.packs)

    def acquire(self) -> None:
        """Reserve scratch, unless there is some."""
        if self._scratch is None:
            self._scratch = self._block(self._segment.arena)

    def release(self) -> None:
        """Give the scratch back."""
        self._scratch = None

    def note(self, pack: int, slot: int) -> None:
        """Remember the array from which panels are packed, and how often it had been written to."""
        raw = self.seen[slot]
        if raw is None:
            self.packed[pack] = None
        else:
            now = watch(raw)
            self.packed[pack] = _Packed(raw, now, now.count)

    def _block(self, arena: Arena) -> Raw:
        block = self._segment.platform.reserve(arena.size + LINE)
        start = -(-address_of(block) // LINE) * LINE
        for number, at in arena.places.items():
            self.table[number] = start + at
        return block


def _address(raw: Raw, platform: Platform) -> tuple[int, Raw]:
    """Return the address of an array's elements, which lie in their order, and the array that has to live so long."""
    if type(raw) is not platform.xp.ndarray:
        # An array of a class of its own may refuse to be read.
        raw = raw.copy()
    try:
        return address_of(raw), raw
    except (TypeError, ValueError):
        copy: Any = platform.xp.array(raw, order="C")
        return address_of(copy), copy


def address_of(raw: Any) -> int:
    """Return the address of an array's elements, which lie in their order and can be written."""
    return ctypes.addressof(ctypes.c_char.from_buffer(raw))
