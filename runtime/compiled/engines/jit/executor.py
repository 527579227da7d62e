"""Runs a graph as native functions, with the plain engine between them for what has no native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from hybridlint.runtime.compiled.engines.jit.assembly import assemble_functions, told_of
from hybridlint.runtime.compiled.engines.jit.chains import Chain, chains
from hybridlint.runtime.compiled.engines.jit.kernel_threads import ThreadTeam, helpers
from hybridlint.runtime.compiled.engines.jit.llvm import Compiled, compile_ir
from hybridlint.runtime.compiled.engines.jit.partial_replay import PartialReplay
from hybridlint.runtime.compiled.engines.jit.schedule import schedule
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment, SegmentMemory
from hybridlint.runtime.compiled.engines.jit.sharing import worth_waking
from hybridlint.runtime.compiled.engines.jit.sources import sources
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.timing import timed_kernels
from hybridlint.runtime.compiled.engines.parts import PartedValues, plan_of, run_again, step, work_of
from hybridlint.runtime.compiled.engines.protocol import Engine, Timed
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.kernels import Kernel
from hybridlint.runtime.compiled.lowering.partition import NativePart
from hybridlint.runtime.platforms import Platform, Raw


class NativeExecutor:
    """A graph whose groups of operators are native functions. See `Executor`."""

    def __init__(
        self,
        graph: Graph,
        parts: Sequence[NativePart],
        *,
        plain: Engine,
        platform: Platform,
        target: TargetProcessor,
        training: bool,
        static_alloc: bool,
        results: int | None = None,
    ) -> None:
        self.platform = platform
        self.ways = ()
        self._target = target
        self._known = PartedValues(graph, parts)
        self._static = static_alloc
        self._idle: list[list[SegmentMemory | None]] = []

        threads = 1 + helpers().count

        def chained(kernels: Sequence[Kernel]) -> Sequence[Chain] | None:
            shared = threads > 1 and worth_waking(kernels, target.lanes)
            return chains(kernels, target, threads) if shared else None

        def native(part: NativePart, made: tuple[int, ...]) -> NativeSegment:
            roots = [part.values[v] for v in made]
            shapes = [(v, root.shape) for v, root in zip(made, roots, strict=True)]
            return NativeSegment(schedule(roots, target), shapes, platform, chained, target.lanes)

        self.work = work_of(graph, parts, native, plain, training=training, static_alloc=static_alloc)
        segments = [work for work in self.work if isinstance(work, NativeSegment)]
        groups = [list(segment.groups()) for segment in segments]
        firsts = [*accumulate(map(len, groups), initial=0)]
        teams = {
            first: segment.chains
            for first, segment in zip(firsts, segments, strict=False)
            if segment.chains is not None
        }
        self._grouped, self._teams = [kernels for group in groups for kernels in group], teams
        stamp = sources()
        self.native: Compiled = (
            compile_ir(self.source, target)
            if stamp is None
            else compile_ir(f"{stamp} {told_of(self._grouped, teams)}", target, lambda: self.source)
        )
        for first, segment, group in zip(firsts, segments, groups, strict=False):
            functions = [self.native.function(f"run{first + k}") for k in range(len(group))]
            segment.use(functions, ThreadTeam(self.native, first) if first in teams else None)
        self.compiling = f"{self.native}, shared by {threads} threads" if teams else str(self.native)
        self.steps = [step(part, "jit", plain, "no native code") for part in parts]
        sizes = [size for work in segments for size in (work.arena.size, work.panels.size)]
        others = (work for work in self.work if not isinstance(work, NativeSegment))
        self.plan = plan_of(graph, sizes, others, results)

    @property
    def source(self) -> str:
        """The IR of its native functions."""
        return assemble_functions(self._grouped, self._target, self._teams)

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Raises MXNetError if a kernel fails."""
        memory = self._taken()
        try:
            values = self._known.of(inputs)
            for work, held in zip(self.work, memory, strict=True):
                if held is None:
                    self._known.run_plain(work, values, rng)  # type: ignore[arg-type]
                else:
                    work.run(values, held)  # type: ignore[union-attr]
            return self._known.results(values, inputs)
        finally:
            if not self._static:
                for held in memory:
                    if held is not None:
                        held.release()
            self._idle.append(memory)

    def again(self, inputs: Sequence[Raw], changing: Sequence[int]) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
        """Return a function that runs on these inputs, with other arrays at some positions."""
        (first, *others), graph = self.work, self.plan.graph
        if others or not isinstance(first, NativeSegment) or first.makes != graph.outputs:
            return run_again(self, inputs, changing)
        values, numbers = self._known.of(inputs), [graph.inputs[k] for k in changing]
        return PartialReplay(first, self._idle, values, numbers, static_alloc=self._static).run

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return the least time of each loop of native code, and of each operator that has none."""
        values, memory = self._known.of(inputs), self._taken()
        found: list[Timed] = []
        for number, (work, held) in enumerate(zip(self.work, memory, strict=True)):
            if isinstance(work, NativeSegment):
                assert held is not None
                work.run(values, held)
                found += [Timed(number, *row) for row in timed_kernels(work, held, self._target, runs)]
            else:
                given = [values[v] for v in work.plan.graph.inputs]
                found += [replace(part, step=number) for part in work.timed(given, runs)]
                self._known.run_plain(work, values, None)
        self._idle.append(memory)
        return found

    def _taken(self) -> list[SegmentMemory | None]:
        """Return memory that no other call uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return [SegmentMemory(work) if isinstance(work, NativeSegment) else None for work in self.work]
