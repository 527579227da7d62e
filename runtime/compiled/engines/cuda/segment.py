"""A part of a graph as launches and matrix products, with the memory that they run in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.compiled.engines.cuda.kernels import MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.program import Action, CudaModule, Launch
from hybridlint.runtime.compiled.engines.cuda.schedule import schedule
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer
from hybridlint.runtime.compiled.lowering.memory import LINE, Arena, arrange_scratch
from hybridlint.runtime.compiled.lowering.values import ArrayValue
from hybridlint.runtime.facts.types import TensorType, itemsize
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.toolkit import Launcher, Toolkit


class CudaSegment:
    """Takes arrays from a list of the graph's values, and puts those that it makes there."""

    def __init__(
        self,
        roots: Sequence[ArrayValue],
        makes: Sequence[tuple[int, TensorType]],
        platform: Platform,
        module: CudaModule,
    ) -> None:
        made = schedule(roots, [held.dtype or "float32" for _, held in makes])
        self.actions: list[Action] = module.actions(made.kernels)
        self.arena: Arena = arrange_scratch(made.kernels)
        self.buffers: Sequence[Buffer] = made.buffers
        self.tables = {buffer.number: platform.from_host(raw) for buffer, raw in made.tables.items()}
        self.takes = [(b.number, b.given) for b in made.buffers if b.given is not None]
        places = {b.result: b.number for b in made.buffers if b.result is not None}
        self.makes = [(places[k], number, roots[k].shape, held.dtype) for k, (number, held) in enumerate(makes)]


class DeviceMemory:
    """The memory of one run of a segment at a time: scratch, and the addresses and arrays of all buffers."""

    def __init__(self, segment: CudaSegment, platform: Platform, toolkit: Toolkit) -> None:
        self.segment = segment
        self._platform = platform
        self._toolkit = toolkit
        self.addresses = [0] * len(segment.buffers)
        self.arrays: list[Raw | None] = [None] * len(segment.buffers)
        self._views: dict[tuple[Access, tuple[int, ...]], tuple[Raw | None, Raw]] = {}
        for number, raw in segment.tables.items():
            self.place(number, raw)
        self._arena: Raw | None = None
        self._start = 0

    def place(self, number: int, raw: Raw) -> None:
        """Let a buffer lie in an array, whose elements are in their order."""
        if self.arrays[number] is not raw:
            self.arrays[number] = raw
            self.addresses[number] = self._toolkit.address(raw)

    def take(self, values: Sequence[Any]) -> None:
        """Take the arrays that are given, and reserve scratch."""
        for slot, number in self.segment.takes:
            raw = values[number]
            self.place(slot, raw if raw.flags.c_contiguous else self._platform.xp.ascontiguousarray(raw))
        if self._arena is None and self.segment.arena.size:
            self._arena = self._platform.reserve(self.segment.arena.size + LINE)
            address = self._toolkit.address(self._arena)
            self._start = -address % LINE
            for number, at in self.segment.arena.places.items():
                self.addresses[number] = address + self._start + at

    def make(self) -> None:
        """Reserve arrays for what it makes."""
        for slot, _, shape, dtype in self.segment.makes:
            self.place(slot, self._platform.xp.empty(shape, dtype))

    def give(self, values: list[Any]) -> None:
        """Put what was made among the values."""
        for slot, number, _, _ in self.segment.makes:
            values[number] = self.arrays[slot]

    def release(self, *, scratch: bool) -> None:
        """Forget arrays that are others', and the scratch too where it is not kept."""
        for slot in (*(slot for slot, _ in self.segment.takes), *(slot for slot, _, _, _ in self.segment.makes)):
            self.arrays[slot] = None
        if scratch:
            self._arena = None
            for number in self.segment.arena.places:
                self.arrays[number] = None
            self._views.clear()

    def run(self, action: Action, functions: Sequence[Launcher]) -> None:
        """Launch a function, or have matrices multiplied."""
        if isinstance(action, Launch):
            given = tuple([self.addresses[number] for number in action.buffers])
            functions[action.function](action.blocks, action.threads, given)
        else:
            self._multiply(action)

    def _multiply(self, action: MatrixProduct) -> None:
        *batches, rows, columns = action.sizes
        left = self._view(action.left, (*batches, rows, action.inner))
        right = self._view(action.right, (*batches, action.inner, columns))
        target = self._view(action.target, (*batches, rows, columns))
        self._platform.xp.matmul(left, right, out=target)

    def _array(self, buffer: Buffer) -> Raw:
        """Return the array in which a buffer lies. Launches need none of what is scratch."""
        found = self.arrays[buffer.number]
        if found is None:
            assert self._arena is not None
            begin = self._start + self.segment.arena.places[buffer.number]
            part = self._arena[begin : begin + buffer.size * itemsize(buffer.dtype)]
            found = self.arrays[buffer.number] = part.view(buffer.dtype)
        return found

    def _view(self, access: Access, shape: tuple[int, ...]) -> Raw:
        """Return the matrices at a place."""
        raw = self._array(access.buffer)
        found = self._views.get((access, shape))
        if found is not None and found[0] is raw:
            return found[1]
        width = raw.dtype.itemsize
        steps = tuple(step * width for step in access.steps)
        view: Raw = self._platform.xp.lib.stride_tricks.as_strided(raw.reshape(-1)[access.start :], shape, steps)
        self._views[access, shape] = (raw if access.buffer.scratch else None, view)
        return view
