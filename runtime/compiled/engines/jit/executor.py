"""Runs a graph as native functions, with the plain engine between them for what has no native code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hybridlint.runtime.compiled.engines.jit.assembly import assembled
from hybridlint.runtime.compiled.engines.jit.llvm import Compiled, compiled
from hybridlint.runtime.compiled.engines.jit.partition import Part, needed_outside
from hybridlint.runtime.compiled.engines.jit.schedule import schedule
from hybridlint.runtime.compiled.engines.jit.segment import Memory, Segment
from hybridlint.runtime.compiled.engines.jit.target import Target
from hybridlint.runtime.compiled.engines.jit.timing import timed_kernels
from hybridlint.runtime.compiled.engines.protocol import Engine, Executor, Step, Timed
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.plan import Plan
from hybridlint.runtime.platforms import Platform, Raw


class NativeExecutor:
    """See `Executor`."""

    def __init__(
        self,
        graph: Graph,
        parts: Sequence[Part],
        *,
        plain: Engine,
        platform: Platform,
        target: Target,
        training: bool,
        static_alloc: bool,
        results: int | None,
    ) -> None:
        self.platform = platform
        self._target = target
        self._graph = graph
        self._results = len(graph.outputs) if results is None else results
        self._static = static_alloc
        self._idle: list[list[Memory | None]] = []
        self._start: list[Any] = [graph.constants.get(v) for v in range(max(graph.types, default=-1) + 1)]
        computed = {v for part in parts for node in part.nodes for v in node.outputs}
        self._fresh = len(set(graph.outputs)) == len(graph.outputs) and computed.issuperset(graph.outputs)
        makes = needed_outside(graph, list(parts))
        self.work: list[Segment | Executor] = []
        for part, made in zip(parts, makes, strict=True):
            if part.native:
                roots = [part.values[v] for v in made]
                shapes = [(v, root.shape) for v, root in zip(made, roots, strict=True)]
                self.work.append(Segment(schedule(roots, target), shapes, platform))
            else:
                inner = _subgraph(graph, part, made)
                self.work.append(plain.compile(inner, training=training, static_alloc=static_alloc))
        segments = [work for work in self.work if isinstance(work, Segment)]
        groups = [list(segment.groups()) for segment in segments]
        self.source = assembled([kernels for group in groups for kernels in group], target)
        self.native: Compiled = compiled(self.source, target)
        self.compiling = str(self.native)
        functions = (self.native.function(f"run{number}") for number in itertools.count())
        for segment, group in zip(segments, groups, strict=True):
            segment.take([next(functions) for _ in group])
        self.steps = [Step("jit" if p.native else plain.name, tuple(p.nodes), p.reason) for p in parts]
        sizes = [size for work in segments for size in (work.arena.size, work.panels.size)]
        self.plan = Plan(
            graph, {}, (*sizes, *(s for w in self.work if not isinstance(w, Segment) for s in w.plan.sizes)), {}
        )

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Raises MXNetError if a kernel fails."""
        memory = self._taken()
        try:
            return self._run(inputs, memory, rng)
        finally:
            if not self._static:
                for held in memory:
                    if held is not None:
                        held.release()
            self._idle.append(memory)

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return the least time of each loop of native code, and of each operator that has none."""
        values, memory = self._values(inputs), self._taken()
        found: list[Timed] = []
        for step, (work, held) in enumerate(zip(self.work, memory, strict=True)):
            if isinstance(work, Segment):
                assert held is not None
                held.acquire()
                work.run(values, held)
                found += [Timed(step, *row) for row in timed_kernels(work, held, self._target, runs)]
            else:
                given = [values[v] for v in work.plan.graph.inputs]
                found += [replace(part, step=step) for part in work.timed(given, runs)]
                self._run_plain(work, values, None)
        self._idle.append(memory)
        return found

    def _taken(self) -> list[Memory | None]:
        """Return memory that no other call uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return [Memory(work) if isinstance(work, Segment) else None for work in self.work]

    def _run(self, inputs: Sequence[Raw], memory: list[Memory | None], rng: Any) -> tuple[Raw, ...]:
        values = self._values(inputs)
        for work, held in zip(self.work, memory, strict=True):
            if isinstance(work, Segment):
                assert held is not None
                held.acquire()
                work.run(values, held)
            else:
                self._run_plain(work, values, rng)
        found = tuple([values[v] for v in self._graph.outputs])
        return found if self._fresh else self._apart(found, inputs)

    def _values(self, inputs: Sequence[Raw]) -> list[Any]:
        """Return the graph's values as far as they are known: constants and inputs."""
        values = self._start.copy()
        for number, raw in zip(self._graph.inputs, inputs, strict=True):
            values[number] = raw
        return values

    @staticmethod
    def _run_plain(work: Executor, values: list[Any], rng: Any) -> None:
        """Run nodes that have no native code, and put what they make among the values."""
        inner = work.plan.graph
        made = work([values[v] for v in inner.inputs], rng)
        for number, raw in zip(inner.outputs, made, strict=True):
            values[number] = raw

    def _apart(self, found: Sequence[Raw], inputs: Sequence[Raw]) -> tuple[Raw, ...]:
        """Return the outputs; what is an input, a constant or another output is copied."""
        seen = {id(raw) for raw in (*inputs, *self._graph.constants.values())}
        results = []
        for raw in found:
            results.append(raw.copy() if id(raw) in seen else raw)
            seen.add(id(raw))
        return tuple(results)


def _subgraph(graph: Graph, part: Part, makes: Sequence[int]) -> Graph:
    """Return nodes as a graph of their own, whose inputs are what they take from outside."""
    inside = {v for node in part.nodes for v in node.outputs}
    taken = dict.fromkeys(v for node in part.nodes for v in node.inputs if v is not None and v not in inside)
    constants = {v: graph.constants[v] for v in taken if v in graph.constants}
    inputs = tuple(v for v in taken if v not in constants)
    return Graph(inputs, tuple(part.nodes), tuple(makes), graph.types, constants)
