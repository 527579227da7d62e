"""Runs a plan: calls kernels with ``out=`` into planned buffers, one after another.

First each node has a function of its own: nodes that differ in numbers alone share its code, so that a deep graph is
ready soon. A plan that is called often is written as one function of straight lines, which spares a call for each node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf
from time import perf_counter
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.numpy.memory import ArrayMemory, Preparing
from hybridlint.runtime.compiled.engines.numpy.recipes import Cooked, plan_recipes
from hybridlint.runtime.compiled.engines.numpy.statements import (
    NamesInAll,
    NodeFunction,
    NodeStatements,
    code_of,
    only,
)
from hybridlint.runtime.compiled.engines.parts import run_again
from hybridlint.runtime.compiled.engines.protocol import ExecutionStep, Executor, Timed
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.plan import MemoryPlan, make_plan
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.failed import told_by

#: Calls after which a plan is one function. Python compiles a line in some 20 us, and a call for a node takes 0.1.
STRAIGHT_AFTER = 128


class StraightLineEngine:
    """Calls the kernels of a platform's array module one after another. See `Engine`."""

    stand_in = None

    def __init__(self, platform: Platform) -> None:
        self.name = platform.name
        self._platform = platform

    def missing(self) -> None:
        """Return None: it needs only what hybridlint itself does."""

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Plan the graph's memory and write its function."""
        if self._platform.device is not None:
            return self._executor(Cooked(graph), training, static_alloc, results)
        # Weights change between the steps of a training.
        prepared = plan_recipes(graph, training=training, lasting=results is None)
        return self._executor(prepared, training, static_alloc, results)

    def _executor(
        self, prepared: Cooked, training: bool, static_alloc: bool, results: int | None
    ) -> StraightLineExecutor:
        return StraightLineExecutor(
            prepared, self._platform, training=training, static_alloc=static_alloc, results=results
        )

    def is_cheap(self, graph: Graph, node: GraphNode) -> bool:
        """Return False: each node is a step of its own."""
        return False

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Return nothing: operators that run alone are run by their kernels."""
        return ()


class StraightLineExecutor:
    """A graph as a Python function over the array module of a platform. See `Executor` and `Engine.compile`."""

    def __init__(
        self,
        prepared: Cooked,
        platform: Platform,
        *,
        training: bool,
        static_alloc: bool = False,
        results: int | None = None,
    ) -> None:
        graph = prepared.graph
        firsts = {node.outputs[0]: at for at, node in enumerate(graph.nodes)}
        self._recipes = {at: prepared.recipes[v] for v, at in firsts.items() if v in prepared.recipes}
        self.plan: MemoryPlan = make_plan(graph, self._recipes, results)
        self.compiling = None
        self.ways = ()
        self.platform = platform
        self._training = training
        self._static = static_alloc
        self._results = len(graph.outputs) if results is None else results
        #: Memory that no call uses.
        self._idle: list[ArrayMemory] = []
        self.steps = [ExecutionStep(platform.name, (node,)) for node in graph.nodes]
        self._constants = {value: platform.from_host(raw) for value, raw in graph.constants.items()}
        self._preparing = [self._prepares(firsts[v], prepared.origins[v]) for v in firsts if v in prepared.origins]
        self._statements = NodeStatements(self.plan, self._recipes, platform, training=training)
        self._functions: list[NodeFunction] = [self._statements.function(at) for at in range(len(graph.nodes))]
        self._start = [self._constants.get(v) for v in range(max(graph.types, default=-1) + 1)]
        self._calls = 0
        #: The function of them all, once it is written.
        self._straight: Callable[..., tuple[Any, ...]] | None = None

    @property
    def source(self) -> str:
        """The function of all nodes."""
        return self._written()[0]

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Raises MXNetError if a kernel fails."""
        memory = self._taken()
        try:
            self._ready(memory, inputs)
            with self.platform.computing():
                outputs = (self._straight or self._run_nodes)(inputs, memory, rng or self.platform.generator())
                return (*self._apart(outputs[: self._results], inputs), *outputs[self._results :])
        finally:
            if not self._static:
                memory.release()
            self._idle.append(memory)

    def again(self, inputs: Sequence[Raw], changing: Sequence[int]) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
        """Return a function that runs on these inputs, with other arrays at some positions."""
        return run_again(self, inputs, changing)

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return the least time of each operator."""
        ends: list[float] = []
        _, run = self._written(lambda: ends.append(perf_counter()))
        least = [inf] * len(self.steps)
        memory = self._taken()
        self._ready(memory, inputs)
        for _ in range(runs):
            ends[:] = [perf_counter()]
            with self.platform.computing():
                run(inputs, memory, self.platform.generator())
            least = [min(a, end - begin) for a, (begin, end) in zip(least, pairwise(ends), strict=True)]
        names = [node.op.name for node in self.plan.graph.nodes]
        return [Timed(k, name, seconds) for k, (name, seconds) in enumerate(zip(names, least, strict=True))]

    def _taken(self) -> ArrayMemory:
        """Return memory that no other call uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return ArrayMemory(self.plan, self._recipes, self.platform)

    def _ready(self, memory: ArrayMemory, inputs: Sequence[Raw]) -> None:
        if memory.buffers is None:
            memory.acquire()
        if self._preparing:
            memory.settle(self._preparing, inputs)

    def _prepares(self, at: int, origin: Graph) -> Preparing:
        """Return how a node's recipe gets what it keeps: of arrays that the graph `origin` computes."""
        sources = tuple(self.plan.graph.inputs.index(v) for v in origin.inputs)
        inner = StraightLineExecutor(Cooked(origin), self.platform, training=False, results=0)

        def steady(inputs: Sequence[Raw]) -> Sequence[Raw]:
            return inner([inputs[k] for k in sources])

        return Preparing(at, self._recipes[at], sources, steady)

    def _apart(self, outputs: Sequence[Raw], inputs: Sequence[Raw]) -> list[Raw]:
        """Return the outputs; those that share memory with an input, a constant or another output are copied."""
        sources = [*inputs, *self._constants.values()]
        results = [self.platform.owned(self.platform.xp.asanyarray(raw), sources) for raw in outputs]
        seen: set[int] = set()
        for k, raw in enumerate(results):
            if id(raw) in seen or raw.base is not None:
                results[k] = raw.copy()
            seen.add(id(results[k]))
        return results

    def _run_nodes(self, inputs: Sequence[Raw], memory: ArrayMemory, rng: Any) -> tuple[Any, ...]:
        """Run one function after another; after some calls, the function of them all."""
        self._calls += 1
        if self._calls > STRAIGHT_AFTER:
            self._straight, self._functions = self._written()[1], []
            return self._straight(inputs, memory, rng)
        values = self._start.copy()
        for number, raw in zip(self.plan.graph.inputs, inputs, strict=True):
            values[number] = raw
        functions, buffers, at = self._functions, memory.buffers or [], -1
        try:
            for at, function in enumerate(functions):  # noqa: B007
                function(values, buffers, memory, rng)
        except (ValueError, TypeError, IndexError) as error:
            _fail(self.plan.graph.nodes[at], error)
        return tuple([values[v] for v in self.plan.graph.outputs])

    def _written(self, after: Callable[[], None] | None = None) -> tuple[str, Callable[..., tuple[Any, ...]]]:
        """Write the plan as a Python function and compile it; it calls `after` behind each operator."""
        graph = self.plan.graph
        scope: dict[str, Any] = {"xp": self.platform.xp, "only": only, "after": after}
        scope["fail"] = lambda at, error: _fail(graph.nodes[at], error)
        scope.update({f"v{value}": raw for value, raw in self._constants.items()})
        names = NamesInAll(scope)
        lines = ["def run(inputs, memory, rng):", "    try:", "        at, buffers = -1, memory.buffers"]
        if graph.inputs:
            lines.append(f"        {', '.join(f'v{v}' for v in graph.inputs)}, = inputs")
        for at in range(len(graph.nodes)):
            lines.append(f"        at = {at}")
            lines += [f"        {line}" for line in self._statements.lines(at, names)]
            lines += [] if after is None else ["        after()"]
        lines += [
            "    except (ValueError, TypeError, IndexError) as error:",
            "        fail(at, error)",
            f"    return ({''.join(f'v{v}, ' for v in graph.outputs)})",
        ]
        source = "\n".join(lines)
        exec(code_of(source), scope)
        return source, scope["run"]


def _fail(node: GraphNode, error: Exception) -> None:
    place = f" at {node.source}" if node.source else ""
    kind = told_by(error) or MXNetError
    raise kind(f"Error in operator {node.name}{place}: {error}") from error
