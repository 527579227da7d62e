"""A part of a graph as native functions, with its memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from sys import getrefcount
from typing import Any
from weakref import ref

from hybridlint.runtime.compiled.engines.jit.chains import Chain
from hybridlint.runtime.compiled.engines.jit.kernel_threads import ThreadTeam
from hybridlint.runtime.compiled.engines.jit.kernels import KeptArray, Pack
from hybridlint.runtime.compiled.engines.jit.loop_fusion import join_kernels
from hybridlint.runtime.compiled.engines.jit.thread_team import WORDS
from hybridlint.runtime.compiled.lowering.kernels import Buffer, Kernel, Schedule
from hybridlint.runtime.compiled.lowering.memory import LINE, Arena, arrange_scratch, laid_out
from hybridlint.runtime.core.writes import WriteWatch, latest, watch
from hybridlint.runtime.platforms import Platform, Raw


def _references(held: Sequence[Any]) -> int:
    return getrefcount(held[0])


def _nothing() -> None:
    """Return None, the result of a weak reference to a missing array."""


#: The number of references to what nothing but one list has.
ALONE = _references([object()])


class NativeSegment:
    """Takes arrays from a list of the graph's values, and puts those that it makes there.

    What is packed from given arrays, which are weights as a rule, is packed again only when these have changed.
    """

    def __init__(
        self,
        schedule: Schedule,
        makes: Sequence[tuple[int, tuple[int, ...]]],
        platform: Platform,
        chained: Callable[[Sequence[Kernel]], Sequence[Chain] | None],
        lanes: int,
    ) -> None:
        self.makes = tuple(number for number, _ in makes)
        self.packs = tuple(
            k for k in schedule.kernels if isinstance(k, (KeptArray, Pack)) and k.source.buffer.given is not None
        )
        self.kernels = tuple(kernel for kernel in schedule.kernels if kernel not in self.packs)
        kept = [pack.target.buffer for pack in self.packs]
        #: The chains of what several threads run; None if one runs it alone.
        self.chains = chained(self.kernels)
        if not self.chains:
            self.kernels = join_kernels(self.kernels, lanes)
        together = [(range(chain.first, chain.end), chain.divided) for chain in self.chains or ()]
        self.arena: Arena = arrange_scratch(self.kernels, frozenset(kept), together)
        self.panels: Arena = laid_out(kept)
        self.platform = platform
        self.slots = len(schedule.buffers)
        self.tables = schedule.tables
        self._empty = platform.xp.empty
        self.takes = [(b.number, b.given) for b in schedule.buffers if b.given is not None]
        results = {b.result: b.number for b in schedule.buffers if b.result is not None}
        self._results = [(results[k], shape) for k, (_, shape) in enumerate(makes)]
        self._call: Callable[[int], None] | None = None
        self._team: ThreadTeam | None = None
        self._packed = frozenset(pack.source.buffer.number for pack in self.packs)
        self.pack_calls: list[tuple[Buffer, Callable[[int], None]]] = []

    def groups(self) -> Iterator[Sequence[Kernel]]:
        """Return its kernels as groups, each of which becomes a native function."""
        yield self.kernels
        yield from ((pack,) for pack in self.packs)

    def use(self, functions: Sequence[Callable[[int], None]], team: ThreadTeam | None) -> None:
        """Use these native functions for its groups, and the team's functions for the first group if it is large."""
        self._call, *packing = functions
        self._team = team
        self.pack_calls = [(pack.source.buffer, call) for pack, call in zip(self.packs, packing, strict=True)]

    def run(self, values: list[Any], memory: SegmentMemory) -> None:
        """Compute, and put what it makes among the values."""
        # Copies live until the end.
        _held = self.take_all(values, memory)
        for number, made in zip(self.makes, self.compute(memory), strict=True):
            values[number] = made

    def take_all(self, values: Sequence[Any], memory: SegmentMemory) -> list[Raw]:
        """Put the arrays that it takes from a list into the table.

        Return the arrays that must live until it has run.
        """
        memory.repeats = None
        return [self.take(slot, values[k], memory) for slot, k in self.takes if memory.seen[slot]() is not values[k]]

    def take(self, slot: int, raw: Raw, memory: SegmentMemory) -> Raw:
        """Put an array, or a copy of it, into the table. Return what was put there: the caller must keep it alive."""
        memory.table[slot], kept = _address(raw, self.platform)
        memory.seen[slot] = ref(raw) if kept is raw else _nothing
        if slot in self._packed:
            memory.settled = None
        return kept

    def compute(self, memory: SegmentMemory) -> list[Raw]:
        """Run on the arrays in the table. Return what it makes."""
        assert self._call is not None
        if memory.scratch is None:
            memory.acquire()
        if memory.settled is not latest.write:
            self._pack(memory)
        made = memory.made
        for k, (slot, shape) in enumerate(self._results):
            # Memory that nobody has any longer is used again.
            if getrefcount(made[k]) != ALONE:
                memory.exchange(k, slot)
                if getrefcount(made[k]) != ALONE:
                    made[k] = self._empty(shape, memory.dtype)
                    memory.table[slot] = address_of(made[k])
        if self._team is None:
            self._call(memory.place)
        else:
            self._team.run(memory.table, memory.words)
        return made.copy()

    def _pack(self, memory: SegmentMemory) -> None:
        """Pack what has changed, or may have."""
        now, certain = latest.write, True
        for k, (source, call) in enumerate(self.pack_calls):
            packed = memory.packed[k]
            if packed is None or not packed.holds(memory.seen[source.number]()):
                packed = memory.note(k, source.number)
                call(memory.place)
            certain = certain and packed is not None and packed.watch.certain
        memory.settled = now if certain else None


@dataclass(frozen=True, slots=True)
class _Packed:
    """The array from which panels were packed, and its number of writes at that time."""

    origin: Raw
    watch: WriteWatch
    count: int

    def holds(self, raw: Raw | None) -> bool:
        """Return whether panels were packed from this array, and it was not written to since."""
        return self.origin is raw and self.watch.count == self.count and self.watch.certain


class SegmentMemory:
    """The memory of one run at a time: scratch, panels, the table of addresses, and its arrays."""

    def __init__(self, segment: NativeSegment) -> None:
        self.dtype = segment.platform.xp.dtype("float32")
        #: The arrays whose addresses stand in the table, as long as someone else has them.
        self.seen: list[Callable[[], Raw | None]] = [_nothing] * segment.slots
        self.table = (ctypes.c_void_p * max(segment.slots, 1))()
        self.place = ctypes.addressof(self.table)
        self.words = (ctypes.c_uint64 * WORDS)()
        self._segment = segment
        for buffer, raw in segment.tables.items():
            self.table[buffer.number] = address_of(raw)
        self._panels = self._block(segment.panels)
        self.scratch: Raw | None = None
        #: What the last run made.
        self.made: list[Any] = [None] * len(segment.makes)
        #: What was made before, with its address: the next run may use it while the user still holds the last one.
        self._before: list[tuple[Any, int | None]] = [(None, None)] * len(segment.makes)
        #: Who has put the arrays into the table that stay the same from call to call.
        self.repeats: object = None
        self.packed: list[_Packed | None] = [None] * len(segment.packs)
        #: The latest write of all when everything was packed; None if something is to be looked at in any case.
        self.settled: object = None

    def acquire(self) -> None:
        """Reserve scratch."""
        self.scratch = self._block(self._segment.arena)

    def release(self) -> None:
        """Give back memory that need not last: scratch, and results."""
        self.scratch = None
        self.made = [None] * len(self.made)
        self._before = [(None, None)] * len(self.made)

    def exchange(self, k: int, slot: int) -> None:
        """Swap the array of result `k` with the array that was kept from the run before."""
        last = self.made[k], self.table[slot]
        self.made[k], self.table[slot] = self._before[k]
        self._before[k] = last

    def note(self, pack: int, slot: int) -> _Packed | None:
        """Remember and return from what panels are packed; None if that is a copy, which lives for this run alone."""
        raw = self.seen[slot]()
        packed = None
        if raw is not None:
            now = watch(raw)
            packed = _Packed(raw, now, now.count)
        self.packed[pack] = packed
        return packed

    def _block(self, arena: Arena) -> Raw:
        block = self._segment.platform.reserve(arena.size + LINE)
        start = -(-address_of(block) // LINE) * LINE
        for number, at in arena.places.items():
            self.table[number] = start + at
        return block


def _address(raw: Raw, platform: Platform) -> tuple[int, Raw]:
    """Return the address of an array's elements in order, and the array that must live as long."""
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
