"""Runs a plan with numpy: one straight-line Python function that calls kernels with ``out=`` into planned buffers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import random
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.graph import GraphNode
from hybridlint.runtime.compiled.plan import Plan
from hybridlint.runtime.imperative import Raw, owned


class NumpyExecutor:
    """A compiled graph. Calls are safe from several threads; outputs never share memory with inputs or earlier outputs.

    With `static_alloc` the buffers live as long as the executor, otherwise as long as a call. Only the first `results`
    outputs (all where None) go to the user; the others stay inside the runtime and may share memory with the inputs.
    """

    def __init__(self, plan: Plan, *, training: bool, static_alloc: bool = False, results: int | None = None) -> None:
        self.plan = plan
        self._training = training
        self._static = static_alloc
        self._results = len(plan.graph.outputs) if results is None else results
        self._lock = threading.Lock()
        self._buffers: list[Raw] | None = None
        self.source, self._run = self._compile()

    def __call__(self, inputs: Sequence[Raw], rng: np.random.Generator | None = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs, drawing from `rng` or from the generator of the device.

        Raises MXNetError where a kernel fails.
        """
        if self._static and self._lock.acquire(blocking=False):
            try:
                if self._buffers is None:
                    self._buffers = self._allocate()
                return self._call(inputs, self._buffers, rng)
            finally:
                self._lock.release()
        return self._call(inputs, self._allocate(), rng)

    def _call(self, inputs: Sequence[Raw], buffers: list[Raw], rng: np.random.Generator | None) -> tuple[Raw, ...]:
        with np.errstate(all="ignore"):
            outputs = self._run(inputs, buffers, rng or random.generator())
        return (
            *_apart(outputs[: self._results], inputs, self.plan.graph.constants.values()),
            *outputs[self._results :],
        )

    def _allocate(self) -> list[Raw]:
        memory = [np.empty(size, np.uint8) for size in self.plan.sizes]
        types = self.plan.graph.types
        arrays = []
        for value, slot in self.plan.slots.items():
            t = types[value]
            dtype = np.dtype(t.dtype or "float32")
            shape = tuple(d for d in t.shape or () if isinstance(d, int))
            count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            arrays.append(memory[slot][:count].view(dtype).reshape(shape))
        return arrays

    def _compile(self) -> tuple[str, Callable[..., tuple[Any, ...]]]:
        """Write the plan as a Python function and compile it."""
        graph = self.plan.graph
        scope: dict[str, Any] = {"xp": np, "only": _only}
        scope.update({f"v{value}": raw for value, raw in graph.constants.items()})
        buffer_of = {value: k for k, value in enumerate(self.plan.slots)}
        lines = ["def run(inputs, buffers, rng):", "    try:", "        at = -1"]
        if graph.inputs:
            lines.append(f"        {', '.join(f'v{v}' for v in graph.inputs)}, = inputs")
        for at, node in enumerate(graph.nodes):
            scope[f"k{at}"], scope[f"p{at}"] = node.op.kernel, dict(node.params)
            lines += [f"        at = {at}", f"        {_statement(at, node, buffer_of, self._training)}"]
        lines += [
            "    except (ValueError, TypeError, IndexError) as error:",
            "        fail(at, error)",
            f"    return ({''.join(f'v{v}, ' for v in graph.outputs)})",
        ]
        source = "\n".join(lines)
        scope["fail"] = lambda at, error: _fail(graph.nodes[at], error)
        exec(compile(source, "<compiled graph>", "exec"), scope)
        return source, scope["run"]


def _apart(outputs: Sequence[Raw], inputs: Sequence[Raw], constants: Iterable[Raw]) -> list[Raw]:
    """Return the outputs, those copied that share memory with an input, a constant or one another."""
    sources = [*inputs, *constants]
    results = [owned(np.asanyarray(raw), sources) for raw in outputs]
    seen: set[int] = set()
    for k, raw in enumerate(results):
        if id(raw) in seen or raw.base is not None:
            results[k] = raw.copy()
        seen.add(id(results[k]))
    return results


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
    # The kernel of an operator with a varying number of outputs returns a tuple of one.
    return f"v{node.outputs[0]} = {call if node.outputs[0] in buffer_of else f'only({call})'}"


def _only(result: Any) -> Any:
    return result[0] if type(result) is tuple else result


def _fail(node: GraphNode, error: Exception) -> None:
    place = f" at {node.source}" if node.source else ""
    raise MXNetError(f"Error in operator {node.name}{place}: {error}") from error
