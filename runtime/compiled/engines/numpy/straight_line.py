"""Runs a plan as one straight-line Python function that calls kernels with ``out=`` into planned buffers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf
from time import perf_counter
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.parts import run_again
from hybridlint.runtime.compiled.engines.protocol import Executor, Step, Timed
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.plan import Plan, make_plan
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.failed import told_by
from hybridlint.runtime.platforms.on_host import kernel_on


class StraightLineEngine:
    """Calls the kernels of a platform's array module one after another. See `Engine`."""

    def __init__(self, platform: Platform) -> None:
        self.name = platform.name
        self._platform = platform

    def missing(self) -> None:
        """Return None: it needs only what hybridlint itself does."""

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Plan the graph's memory and write its function."""
        plan = make_plan(graph)
        return StraightLineExecutor(plan, self._platform, training=training, static_alloc=static_alloc, results=results)

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Return nothing: operators that run alone are run by their kernels."""
        return ()


class StraightLineExecutor:
    """A graph as a Python function over the array module of a platform. See `Executor` and `Engine.compile`."""

    def __init__(
        self,
        plan: Plan,
        platform: Platform,
        *,
        training: bool,
        static_alloc: bool = False,
        results: int | None = None,
    ) -> None:
        self.plan = plan
        self.compiling = None
        self.ways = ()
        self.platform = platform
        self._training = training
        self._static = static_alloc
        self._results = len(plan.graph.outputs) if results is None else results
        self._lock = threading.Lock()
        self._buffers: list[Raw] | None = None
        self.steps = [Step(platform.name, (node,)) for node in plan.graph.nodes]
        self._constants = {value: platform.from_host(raw) for value, raw in plan.graph.constants.items()}
        self.source, self._run = self._compile()

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Raises MXNetError if a kernel fails."""
        if self._static and self._lock.acquire(blocking=False):
            try:
                if self._buffers is None:
                    self._buffers = self._allocate()
                return self._call(inputs, self._buffers, rng)
            finally:
                self._lock.release()
        return self._call(inputs, self._allocate(), rng)

    def again(self, inputs: Sequence[Raw], changing: Sequence[int]) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
        """Return a function that runs on these inputs, with other arrays at some positions."""
        return run_again(self, inputs, changing)

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return the least time of each operator."""
        ends: list[float] = []
        _, run = self._compile(lambda: ends.append(perf_counter()))
        least = [inf] * len(self.steps)
        buffers = self._allocate()
        for _ in range(runs):
            ends[:] = [perf_counter()]
            with self.platform.computing():
                run(inputs, buffers, self.platform.generator())
            least = [min(a, end - begin) for a, (begin, end) in zip(least, pairwise(ends), strict=True)]
        names = [node.op.name for node in self.plan.graph.nodes]
        return [Timed(k, name, seconds) for k, (name, seconds) in enumerate(zip(names, least, strict=True))]

    def _call(self, inputs: Sequence[Raw], buffers: list[Raw], rng: Any) -> tuple[Raw, ...]:
        with self.platform.computing():
            outputs = self._run(inputs, buffers, rng or self.platform.generator())
            return (
                *self._apart(outputs[: self._results], inputs),
                *outputs[self._results :],
            )

    def _allocate(self) -> list[Raw]:
        memory = [self.platform.reserve(size) for size in self.plan.sizes]
        types = self.plan.graph.types
        with self.platform.computing():
            return [self.platform.view(memory[slot], types[value]) for value, slot in self.plan.slots.items()]

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

    def _compile(self, after: Callable[[], None] | None = None) -> tuple[str, Callable[..., tuple[Any, ...]]]:
        """Write the plan as a Python function and compile it; it calls `after` behind each operator."""
        graph = self.plan.graph
        scope: dict[str, Any] = {"xp": self.platform.xp, "only": _only, "after": after}
        scope.update({f"v{value}": raw for value, raw in self._constants.items()})
        buffer_of = {value: k for k, value in enumerate(self.plan.slots)}
        lines = ["def run(inputs, buffers, rng):", "    try:", "        at = -1"]
        if graph.inputs:
            lines.append(f"        {', '.join(f'v{v}' for v in graph.inputs)}, = inputs")
        for at, node in enumerate(graph.nodes):
            scope[f"k{at}"], scope[f"p{at}"] = kernel_on(self.platform, node.op), dict(node.params)
            lines += [f"        at = {at}", f"        {_statement(at, node, buffer_of, self._training)}"]
            lines += [] if after is None else ["        after()"]
        lines += [
            "    except (ValueError, TypeError, IndexError) as error:",
            "        fail(at, error)",
            f"    return ({''.join(f'v{v}, ' for v in graph.outputs)})",
        ]
        source = "\n".join(lines)
        scope["fail"] = lambda at, error: _fail(graph.nodes[at], error)
        exec(compile(source, "<compiled graph>", "exec"), scope)
        return source, scope["run"]


def _statement(at: int, node: GraphNode, buffer_of: dict[int, int], training: bool) -> str:
    arguments = ["xp", *("None" if v is None else f"v{v}" for v in node.inputs)]
    if node.params:
        arguments.append(f"**p{at}")
    if "training" in node.op.reserved:
        arguments.append(f"training={training}")
    if "rng" in node.op.reserved:
        arguments.append("rng=rng")
    if node.outputs[0] in buffer_of:
        arguments.append(f"out=buffers[{buffer_of[node.outputs[0]]}]")
    call = f"k{at}({', '.join(arguments)})"
    if len(node.outputs) > 1:
        return f"{', '.join(f'v{v}' for v in node.outputs)} = {call}"
    # The kernel of an operator with a variable number of outputs returns a tuple, even of one.
    return f"v{node.outputs[0]} = {call if node.outputs[0] in buffer_of else f'only({call})'}"


def _only(result: Any) -> Any:
    return result[0] if type(result) is tuple else result


def _fail(node: GraphNode, error: Exception) -> None:
    place = f" at {node.source}" if node.source else ""
    kind = told_by(error) or MXNetError
    raise kind(f"Error in operator {node.name}{place}: {error}") from error
