"""A graph as compiled code of a GPU: segments of generated kernels, and the plain engine between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Any

from hybridlint.runtime.compiled.engines.cuda.kernels import MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.program import Action, CudaModule, Launch
from hybridlint.runtime.compiled.engines.cuda.replay import Replay, in_runs
from hybridlint.runtime.compiled.engines.cuda.segment import CudaSegment, DeviceMemory
from hybridlint.runtime.compiled.engines.cuda.words import describe_kernel
from hybridlint.runtime.compiled.engines.parts import PartedValues, plan_of, step, work_of
from hybridlint.runtime.compiled.engines.protocol import Engine, Timed
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.partition import NativePart
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.toolkit import Toolkit


class CompiledProgram:
    """Runs a graph. Raises DeviceError where the GPU fails, when it is made or when it runs.

    With `static` memory is kept between calls.
    """

    def __init__(
        self,
        graph: Graph,
        parts: Sequence[NativePart],
        *,
        plain: Engine,
        platform: Platform,
        toolkit: Toolkit,
        training: bool,
        static: bool,
    ) -> None:
        self._platform = platform
        self._toolkit = toolkit
        self._static = static
        module = CudaModule()

        def native(part: NativePart, made: tuple[int, ...]) -> CudaSegment:
            types = [(number, graph.types[number]) for number in made]
            return CudaSegment([part.values[v] for v in made], types, platform, module)

        self.work = work_of(graph, parts, native, plain, training=training, static_alloc=static)
        here = {value: platform.from_host(raw) for value, raw in graph.constants.items()}
        self._known = PartedValues(replace(graph, constants=here), parts)
        self._idle: list[list[DeviceMemory | None]] = []
        self._replaying: list[tuple[list[DeviceMemory | None], list[Replay | None]]] = []
        self.steps = [step(part, "cuda", plain, "no generated kernel") for part in parts]
        sizes = [work.arena.size for work in self.work if isinstance(work, CudaSegment)]
        self.plan = plan_of(graph, sizes, (work for work in self.work if not isinstance(work, CudaSegment)))
        self.source = module.source
        begin = perf_counter()
        self._functions = toolkit.functions(module.source, module.names)
        seconds = perf_counter() - begin
        kernels = f"{len(module.names)} kernel{'' if len(module.names) == 1 else 's'}"
        self.compiling = f"{kernels}, compiled by {toolkit.compiler} in {seconds:.2f} s"

    @property
    def actions(self) -> list[Action]:
        """Launches and products of all segments."""
        return [action for work in self.work if isinstance(work, CudaSegment) for action in work.actions]

    def not_one_graph(self) -> str | None:
        """Return why its launches cannot be captured as one; None if they can."""
        left = sum(len(step.nodes) for step in self.steps if step.engine != "cuda")
        if left:
            return f"{left} operator{'' if left == 1 else 's'} without a generated kernel"
        products = sum(isinstance(action, MatrixProduct) for action in self.actions)
        if products:
            return f"{products} matrix product{'' if products == 1 else 's'}, and cuBLAS cannot be captured"
        return None

    def not_in_segments(self) -> str | None:
        """Return why no part of its launches is worth being captured; None if some are."""
        runs = [run for work in self.work if isinstance(work, CudaSegment) for run in in_runs(work.actions)]
        if any(isinstance(run, list) and len(run) > 1 for run in runs):
            return None
        return "nowhere do two launches follow each other"

    def launched(self, inputs: Sequence[Raw], rng: Any) -> tuple[Raw, ...]:
        """Run launch by launch."""
        memory = self._taken()
        try:
            values = self._known.of(inputs)
            for work, held in zip(self.work, memory, strict=True):
                if isinstance(work, CudaSegment):
                    assert held is not None
                    held.take(values)
                    held.make()
                    for action in work.actions:
                        held.run(action, self._functions)
                    held.give(values)
                else:
                    self._known.run_plain(work, values, rng)
            return self._known.results(values, inputs)
        finally:
            self._release(memory)

    def replayed(self, inputs: Sequence[Raw], rng: Any) -> tuple[Raw, ...]:
        """Run what can be captured as it was captured."""
        try:
            memory, replays = self._replaying.pop()
        except IndexError:
            memory = self._new()
            replays = [
                None if held is None else Replay(held, self._functions, self._platform, self._toolkit)
                for held in memory
            ]
        values = self._known.of(inputs)
        for work, replay in zip(self.work, replays, strict=True):
            if replay is not None:
                replay.run(values)
            else:
                assert not isinstance(work, CudaSegment)
                self._known.run_plain(work, values, rng)
        # Where a capture has failed, its memory is not used again.
        self._replaying.append((memory, replays))
        return self._known.results(values, inputs)

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return the least time of each launch and product, and of each operator that has none."""
        values, memory = self._known.of(inputs), self._taken()
        found: list[Timed] = []
        for number, (work, held) in enumerate(zip(self.work, memory, strict=True)):
            if isinstance(work, CudaSegment):
                assert held is not None
                held.take(values)
                held.make()
                found += [Timed(number, _told(action), self._least(held, action, runs)) for action in work.actions]
                held.give(values)
            else:
                given = [values[v] for v in work.plan.graph.inputs]
                found += [replace(part, step=number) for part in work.timed(given, runs)]
                self._known.run_plain(work, values, None)
        self._release(memory)
        return found

    def _least(self, held: DeviceMemory, action: Action, runs: int) -> float:
        least = inf
        for _ in range(runs):
            self._platform.wait()
            begin = perf_counter()
            held.run(action, self._functions)
            self._platform.wait()
            least = min(least, perf_counter() - begin)
        return least

    def _taken(self) -> list[DeviceMemory | None]:
        """Return memory that no other call uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._new()

    def _new(self) -> list[DeviceMemory | None]:
        return [
            DeviceMemory(work, self._platform, self._toolkit) if isinstance(work, CudaSegment) else None
            for work in self.work
        ]

    def _release(self, memory: list[DeviceMemory | None]) -> None:
        for held in memory:
            if held is not None:
                held.release(scratch=not self._static)
        self._idle.append(memory)


def _told(action: Action) -> str:
    return describe_kernel(action.kernel if isinstance(action, Launch) else action)
