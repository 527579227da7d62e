"""Parts of a graph: consecutive nodes that one engine runs, where another engine cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hybridlint.runtime.compiled.engines.protocol import Engine, ExecutionStep, Executor
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.plan import MemoryPlan, bytes_inside
from hybridlint.runtime.platforms import Raw


@dataclass(slots=True)
class Part:
    """Consecutive nodes. `reason` says why the plain engine runs them, None if the engine itself does."""

    nodes: list[GraphNode] = field(default_factory=list)
    reason: str | None = None

    @property
    def native(self) -> bool:
        """Whether the engine itself runs it."""
        return self.reason is None


def run_again(
    executor: Executor, inputs: Sequence[Raw], changing: Sequence[int]
) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
    """Return a function that calls an executor on these inputs, with other arrays at the positions `changing`."""
    kept: list[Any] = [None if k in changing else raw for k, raw in enumerate(inputs)]

    def run(arrays: Sequence[Raw]) -> Sequence[Raw]:
        given = kept.copy()
        for position, raw in zip(changing, arrays, strict=True):
            given[position] = raw
        return executor(given)

    return run


P = TypeVar("P", bound=Part)
W = TypeVar("W")


def step(part: Part, name: str, plain: Engine, lacking: str) -> ExecutionStep:
    """Return a part as a step of the engine `name` or the plain one, with the reason for the latter."""
    reason = None if part.reason is None else f"{lacking}: {part.reason}"
    return ExecutionStep(name if part.native else plain.name, tuple(part.nodes), reason)


def needed_outside(graph: Graph, parts: Sequence[Part]) -> list[tuple[int, ...]]:
    """Return, for each part, the values that it makes and others take."""
    found = []
    for part in parts:
        inside = {id(node) for node in part.nodes}
        taken = {v for node in graph.nodes if id(node) not in inside for v in node.inputs} | set(graph.outputs)
        found.append(tuple(v for node in part.nodes for v in node.outputs if v in taken))
    return found


def subgraph(graph: Graph, part: Part, makes: Sequence[int]) -> Graph:
    """Return nodes as a graph of their own, whose inputs are the values from outside."""
    inside = {v for node in part.nodes for v in node.outputs}
    taken = dict.fromkeys(v for node in part.nodes for v in node.inputs if v is not None and v not in inside)
    constants = {v: graph.constants[v] for v in taken if v in graph.constants}
    inputs = tuple(v for v in taken if v not in constants)
    return Graph(inputs, tuple(part.nodes), tuple(makes), graph.types, constants)


def work_of(
    graph: Graph,
    parts: Sequence[P],
    native: Callable[[P, tuple[int, ...]], W],
    plain: Engine,
    *,
    training: bool,
    static_alloc: bool,
) -> list[W | Executor]:
    """Return the work of each part: the result of `native` for it and its needed values, or a plain executor.

    Executors of the plain engine get their parts as graphs of their own.
    """

    def made(part: P, values: tuple[int, ...]) -> W | Executor:
        if part.native:
            return native(part, values)
        return plain.compile(subgraph(graph, part, values), training=training, static_alloc=static_alloc)

    return [made(part, values) for part, values in zip(parts, needed_outside(graph, parts), strict=True)]


def plan_of(graph: Graph, sizes: Iterable[int], others: Iterable[Executor], results: int | None = None) -> MemoryPlan:
    """Return the memory plan of a graph in parts: native sizes, then the sizes of other executors.

    Outputs beyond the first `results` stay inside the runtime.
    """
    both = (*sizes, *(size for work in others for size in work.plan.sizes))
    return MemoryPlan(graph, {}, both, {}, inside=bytes_inside(graph, results))


class PartedValues:
    """The values of a graph in one list: its parts run one after another, reading and adding values."""

    def __init__(self, graph: Graph, parts: Sequence[Part]) -> None:
        self._graph = graph
        self._start: list[Any] = [graph.constants.get(v) for v in range(max(graph.types, default=-1) + 1)]
        count = len(graph.inputs)
        #: The constants and places that follow the inputs; None if other values are numbered before.
        self._rest = self._start[count:] if graph.inputs == tuple(range(count)) else None
        computed = {v for part in parts for node in part.nodes for v in node.outputs}
        self._fresh = len(set(graph.outputs)) == len(graph.outputs) and computed.issuperset(graph.outputs)

    def of(self, inputs: Sequence[Raw]) -> list[Any]:
        """Return the known values: constants and inputs."""
        if self._rest is not None:
            return [*inputs, *self._rest]
        values = self._start.copy()
        for number, raw in zip(self._graph.inputs, inputs, strict=True):
            values[number] = raw
        return values

    @staticmethod
    def run_plain(work: Executor, values: list[Any], rng: Any) -> None:
        """Run the executor of a part of the plain engine, and put what it makes among the values."""
        inner = work.plan.graph
        made = work([values[v] for v in inner.inputs], rng)
        for number, raw in zip(inner.outputs, made, strict=True):
            values[number] = raw

    def results(self, values: Sequence[Any], inputs: Sequence[Raw]) -> tuple[Raw, ...]:
        """Return the outputs; what is an input, a constant or another output is copied."""
        found = tuple([values[v] for v in self._graph.outputs])
        if self._fresh:
            return found
        seen = {id(raw) for raw in (*inputs, *self._graph.constants.values())}
        results = []
        for raw in found:
            results.append(raw.copy() if id(raw) in seen else raw)
            seen.add(id(raw))
        return tuple(results)
