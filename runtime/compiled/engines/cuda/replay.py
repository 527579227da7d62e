"""Launches of a segment, captured once and replayed as one: their addresses are the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybridlint.runtime.compiled.engines.cuda.kernels import MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.program import Action, Launch
from hybridlint.runtime.compiled.engines.cuda.segment import DeviceMemory
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.toolkit import Launcher, Toolkit


def in_runs(actions: Sequence[Action]) -> Iterator[list[Launch] | MatrixProduct]:
    """Yield launches that follow each other together, and what cannot be captured between them."""
    launches: list[Launch] = []
    for action in actions:
        if isinstance(action, Launch):
            launches.append(action)
            continue
        if launches:
            yield launches
        launches = []
        yield action
    if launches:
        yield launches


class Replay:
    """Runs a segment in one block of memory.

    The first run launches everything, so that all code is loaded; the second one captures. An input that is another
    array than in the call before is copied from then on: parameters are read in place, data are copied.
    """

    def __init__(
        self, memory: DeviceMemory, functions: Sequence[Launcher], platform: Platform, toolkit: Toolkit
    ) -> None:
        self._memory = memory
        self._functions = functions
        self._platform = platform
        self._toolkit = toolkit
        self._runs = list(in_runs(memory.segment.actions))
        self._graphs: dict[int, Callable[[], None]] = {}
        self._read: dict[int, Raw] = {}
        self._copied: dict[int, Raw] = {}
        self._warm = False

    def run(self, values: list[Any]) -> None:
        """Run the segment: read its inputs from `values`, and store its outputs there."""
        memory = self._memory
        memory.take([*self._settled(values)])
        if not self._warm:
            memory.make()
        for number, run in enumerate(self._runs):
            if isinstance(run, MatrixProduct):
                memory.run(run, self._functions)
            elif not self._warm:
                self._launch(run)
            else:
                self._replay(number, run)
        self._warm = True
        memory.give(values)
        for _, number, _, _ in memory.segment.makes:
            values[number] = values[number].copy()

    def _settled(self, values: list[Any]) -> list[Any]:
        """Return the values with those that are given at addresses that stay."""
        settled = list(values)
        for slot, number in self._memory.segment.takes:
            raw = values[number]
            if slot not in self._copied and self._read.setdefault(slot, raw) is not raw:
                self._copied[slot] = self._platform.xp.empty(raw.shape, raw.dtype)
                del self._read[slot]
                self._graphs.clear()
            if slot in self._copied:
                self._copied[slot][...] = raw
                settled[number] = self._copied[slot]
        return settled

    def _launch(self, run: Sequence[Launch]) -> None:
        for action in run:
            self._memory.run(action, self._functions)

    def _replay(self, number: int, run: Sequence[Launch]) -> None:
        graph = self._graphs.get(number)
        if graph is None:
            graph = self._graphs[number] = self._toolkit.captured(lambda: self._launch(run))
        graph()
