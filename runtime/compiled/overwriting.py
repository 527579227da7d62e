"""Nodes whose backward overwrites the gradient that it still reads, as MXNet's plan of memory makes it do.

MXNet lets some operators write the gradient of their first input over the incoming gradient, and prelu then computes
the gradient of its slope from what it has written. Whether that happens is a matter of the plan: both gradients must
lie in memory of the plan's own, and nothing may read the incoming one later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.facts.properties import passes_on


@dataclass(eq=False, slots=True)
class _Step:
    """A step of the backward pass, or one of its results; each step comes after the steps that it reads.

    A result shares the memory of the one that it `copied`. One that is `given`, a gradient of the graph's outputs, has
    no memory in the plan.
    """

    reads: Sequence[_Step] = ()
    copied: _Step | None = None
    given: bool = False

    @property
    def memory(self) -> _Step:
        """The result that owns the memory."""
        return self if self.copied is None else self.copied.memory


class _Backward:
    """The steps of backward: for each value its gradient's parts, and for each node its step."""

    def __init__(self, graph: Graph, needed: Collection[int]) -> None:
        self._needed = needed
        self._parts: dict[int, list[_Step]] = {}
        self._sums: dict[int, _Step] = {}
        #: For each node, by its first output: its step, and the gradient that it gives to its first input.
        self.steps: dict[int, tuple[_Step, _Step | None]] = {}
        for value in graph.outputs:
            self._parts.setdefault(value, []).append(_Step(given=True))
        for node in reversed(graph.nodes):
            self._pull(node)

    def gradient(self, value: int) -> _Step | None:
        """Return a value's whole gradient, None if it gets none: a sum where there are several parts."""
        if value not in self._sums and value in self._parts:
            parts = self._parts[value]
            self._sums[value] = parts[0] if len(parts) == 1 else _Step(parts)
        return self._sums.get(value)

    def _pull(self, node: GraphNode) -> None:
        """Add the step of a node, and what it gives to the node's inputs."""
        incoming = [step for step in map(self.gradient, node.outputs) if step is not None]
        if not incoming or not node.op.differentiable:
            return
        step = _Step(incoming)
        given = [self._given(node, step) if value in self._needed else None for value in node.inputs]
        self.steps[node.outputs[0]] = step, given[0] if given else None
        for value, part in zip(node.inputs, given, strict=True):
            if value is not None and part is not None:
                self._parts.setdefault(value, []).append(part)

    def _given(self, node: GraphNode, step: _Step) -> _Step:
        """Return a gradient that a node gives to an input."""
        incoming = step.reads[0]
        if node.op.facts.shares_gradient:
            return incoming
        return _Step([step], incoming if passes_on(node.op) and not incoming.memory.given else None)


def overwritten(graph: Graph, wanted: Sequence[int], needed: Collection[int]) -> frozenset[int]:
    """Return the outputs of the nodes that overwrite their incoming gradient when the graph runs backward.

    `wanted` are the positions of the inputs that get gradients, `needed` the values on the way to them.
    """
    nodes = [node for node in graph.nodes if node.op.may_overwrite_gradient(node.params) and node.inputs[0] in needed]
    if not nodes:
        return frozenset()
    backward = _Backward(graph, needed)
    ends = [end for end in (backward.gradient(graph.inputs[k]) for k in wanted) if end is not None]
    order = list(_ordered(ends))
    return frozenset(node.outputs[0] for node in nodes if _overwrites(node, backward, order, ends))


def _overwrites(node: GraphNode, backward: _Backward, order: Sequence[_Step], ends: Sequence[_Step]) -> bool:
    """Whether both gradients have memory in the plan, and nothing reads the incoming one after the node's step."""
    step, result = backward.steps.get(node.outputs[0], (None, None))
    if step is None or result is None or any(result is end for end in ends):
        return False
    if not any(result is read for other in order for read in other.reads):
        return False
    memory = step.reads[0].memory
    if memory.given or any(end.memory is memory for end in ends):
        return False
    return step is [other for other in order if any(read.memory is memory for read in other.reads)][-1]


def _ordered(ends: Sequence[_Step]) -> Iterator[_Step]:
    """Yield the steps in the order of execution: inputs of a step first, in the order of the wanted inputs."""
    done: set[int] = set()
    pending = [(end, False) for end in reversed(ends)]
    while pending:
        step, ready = pending.pop()
        if id(step) in done:
            continue
        if ready:
            done.add(id(step))
            yield step
            continue
        pending.append((step, True))
        pending += [(read, False) for read in reversed(step.reads)]
