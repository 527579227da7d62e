"""Runs a plan as one straight-line Python function that calls kernels with ``out=`` into planned buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf
from time import perf_counter
from types import CodeType
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.numpy.memory import ArrayMemory, Preparing
from hybridlint.runtime.compiled.engines.numpy.recipes import Cooked, plan_recipes
from hybridlint.runtime.compiled.engines.parts import run_again
from hybridlint.runtime.compiled.engines.protocol import ExecutionStep, Executor, Timed
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.plan import MemoryPlan, make_plan, taken_values
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.failed import told_by
from hybridlint.runtime.platforms.on_host import kernel_on


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
        self.source, self._run = self._compile()

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Raises MXNetError if a kernel fails."""
        memory = self._taken()
        try:
            self._ready(memory, inputs)
            with self.platform.computing():
                outputs = self._run(inputs, memory, rng or self.platform.generator())
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
        _, run = self._compile(lambda: ends.append(perf_counter()))
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

    def _place(self, at: int, buffer_of: dict[int, int]) -> str | None:
        """Return what a node's kernel writes to; None where it takes memory itself."""
        node = self.plan.graph.nodes[at]
        first = node.outputs[0]
        if first in buffer_of:
            return f"buffers[{buffer_of[first]}]"
        # A function of elements that lie in another order would give them in that one.
        turned = node.op.pointwise and not self.plan.channels_last.isdisjoint(node.inputs)
        return _empty(self.plan, first) if turned else None

    def _compile(self, after: Callable[[], None] | None = None) -> tuple[str, Callable[..., tuple[Any, ...]]]:
        """Write the plan as a Python function and compile it; it calls `after` behind each operator."""
        graph = self.plan.graph
        scope: dict[str, Any] = {"xp": self.platform.xp, "only": _only, "after": after}
        taken = taken_values(graph)
        scope.update({f"v{value}": raw for value, raw in self._constants.items()})
        buffer_of = {value: k for k, value in enumerate(self.plan.slots)}
        lines = ["def run(inputs, memory, rng):", "    try:", "        at, buffers = -1, memory.buffers"]
        if graph.inputs:
            lines.append(f"        {', '.join(f'v{v}' for v in graph.inputs)}, = inputs")
        for at, node in enumerate(graph.nodes):
            lines.append(f"        at = {at}")
            if at in self._recipes:
                scope[f"r{at}"] = self._recipes[at].run
                outputs = [v if v in taken else None for v in node.outputs]
                lines += [f"        {one}" for one in _recipe_lines(at, node, outputs, buffer_of, self.plan)]
            else:
                scope[f"k{at}"], scope[f"p{at}"] = kernel_on(self.platform, node.op), dict(node.params)
                lines.append(f"        {_statement(at, node, self._place(at, buffer_of), self._training)}")
            lines += [] if after is None else ["        after()"]
        lines += [
            "    except (ValueError, TypeError, IndexError) as error:",
            "        fail(at, error)",
            f"    return ({''.join(f'v{v}, ' for v in graph.outputs)})",
        ]
        source = "\n".join(lines)
        scope["fail"] = lambda at, error: _fail(graph.nodes[at], error)
        exec(_code(source), scope)
        return source, scope["run"]


@lru_cache(maxsize=256)
def _code(source: str) -> CodeType:
    """Return the compiled code of a plan. Graphs of one structure share it, as when a block is built again."""
    return compile(source, "<compiled graph>", "exec")


def _empty(plan: MemoryPlan, value: int) -> str:
    """Return an expression that allocates memory for a value without a buffer, in its order of elements."""
    held = plan.graph.types[value]
    assert held.shape is not None
    if value not in plan.channels_last:
        return f"xp.empty({held.shape}, {held.dtype!r})"
    first, channels, *rest = held.shape
    return f"xp.moveaxis(xp.empty({(first, *rest, channels)}, {held.dtype!r}), -1, 1)"


def _recipe_lines(
    at: int, node: GraphNode, outputs: Sequence[int | None], buffer_of: dict[int, int], plan: MemoryPlan
) -> Iterator[str]:
    for value in outputs:
        if value is not None:
            place = f"buffers[{buffer_of[value]}]" if value in buffer_of else _empty(plan, value)
            yield f"v{value} = {place}"
    ins, outs = ("".join("None, " if v is None else f"v{v}, " for v in values) for values in (node.inputs, outputs))
    yield f"r{at}(xp, ({ins}), ({outs}), memory.kept.get({at}), memory.scratch[{at}])"


def _statement(at: int, node: GraphNode, place: str | None, training: bool) -> str:
    arguments = ["xp", *("None" if v is None else f"v{v}" for v in node.inputs)]
    if node.params:
        arguments.append(f"**p{at}")
    if "training" in node.op.reserved:
        arguments.append(f"training={training}")
    if "rng" in node.op.reserved:
        arguments.append("rng=rng")
    if place is not None:
        arguments.append(f"out={place}")
    call = f"k{at}({', '.join(arguments)})"
    if len(node.outputs) > 1:
        return f"{', '.join(f'v{v}' for v in node.outputs)} = {call}"
    # The kernel of an operator with a variable number of outputs returns a tuple, even of one.
    return f"v{node.outputs[0]} = {call if place is not None else f'only({call})'}"


def _only(result: Any) -> Any:
    return result[0] if type(result) is tuple else result


def _fail(node: GraphNode, error: Exception) -> None:
    place = f" at {node.source}" if node.source else ""
    kind = told_by(error) or MXNetError
    raise kind(f"Error in operator {node.name}{place}: {error}") from error
