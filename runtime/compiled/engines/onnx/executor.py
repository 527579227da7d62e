"""Runs a graph as models of ONNX, with the plain engine between them for what has no translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from hybridlint.runtime.compiled.engines.onnx.partition import ModelPart
from hybridlint.runtime.compiled.engines.onnx.session import OnnxSession, Refused
from hybridlint.runtime.compiled.engines.parts import PartedValues, needed_outside, run_again, step, subgraph
from hybridlint.runtime.compiled.engines.protocol import Engine, Executor, Timed
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.plan import MemoryPlan
from hybridlint.runtime.platforms import Platform, Raw


class ModelExecutor:
    """A graph whose parts are models of ONNX, in sessions of ONNX Runtime. See `Executor`."""

    def __init__(
        self,
        graph: Graph,
        parts: Sequence[ModelPart],
        *,
        plain: Engine,
        platform: Platform,
        training: bool,
        static_alloc: bool,
    ) -> None:
        self.platform = platform
        self.ways = ()
        self._known = PartedValues(graph, parts)
        self.work: list[OnnxSession | Executor] = []
        for part, made in zip(parts, needed_outside(graph, parts), strict=True):
            if part.writer is not None:
                try:
                    self.work.append(OnnxSession(*part.writer.finished(made), platform))
                    continue
                except Refused as error:
                    part.reason = str(error)
            inner = subgraph(graph, part, made)
            self.work.append(plain.compile(inner, training=training, static_alloc=static_alloc))
        self.steps = [step(part, "onnx", plain, "not in ONNX") for part in parts]
        models = [work for work in self.work if isinstance(work, OnnxSession)]
        self.compiling = f"by ONNX Runtime {models[0].library.__version__}" if models else None
        self.source = "\n\n".join(work.text if isinstance(work, OnnxSession) else work.source for work in self.work)
        sizes = (size for work in self.work if not isinstance(work, OnnxSession) for size in work.plan.sizes)
        self.plan = MemoryPlan(graph, {}, tuple(sizes), {})

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Raises MXNetError if a model or a kernel fails."""
        values = self._known.of(inputs)
        for work in self.work:
            if isinstance(work, OnnxSession):
                work.run(values)
            else:
                self._known.run_plain(work, values, rng)
        return self._known.results(values, inputs)

    def again(self, inputs: Sequence[Raw], changing: Sequence[int]) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
        """Return a function that runs on these inputs, with other arrays at some positions."""
        return run_again(self, inputs, changing)

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return the least time of each model, and of each operator that is in none."""
        values = self._known.of(inputs)
        found: list[Timed] = []
        for number, work in enumerate(self.work):
            if isinstance(work, OnnxSession):
                found.append(Timed(number, "model of ONNX", min(_seconds(work, values) for _ in range(runs))))
            else:
                given = [values[v] for v in work.plan.graph.inputs]
                found += [replace(part, step=number) for part in work.timed(given, runs)]
                self._known.run_plain(work, values, None)
        return found


def _seconds(work: OnnxSession, values: list[Any]) -> float:
    begin = perf_counter()
    work.run(values)
    return perf_counter() - begin
