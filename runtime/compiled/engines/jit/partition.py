"""Which nodes of a graph become native code together, and which the plain engine runs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hybridlint.runtime.compiled.engines.jit.lowering import lower_node
from hybridlint.runtime.compiled.engines.jit.values import CannotLower, Value, kept
from hybridlint.runtime.compiled.graph import Graph, GraphNode


@dataclass(slots=True)
class Part:
    """Consecutive nodes. Native ones have the values of their outputs; `reason` says why others are not native."""

    nodes: list[GraphNode] = field(default_factory=list)
    values: dict[int, Value] = field(default_factory=dict)
    reason: str | None = None

    @property
    def native(self) -> bool:
        """Whether it becomes native code."""
        return self.reason is None


def partition(graph: Graph, *, training: bool) -> list[Part]:
    """Return the parts of a graph, in the order of execution."""
    uses = _uses(graph)
    parts: list[Part] = []
    for node in graph.nodes:
        native = bool(parts) and parts[-1].native
        known: Mapping[int, Value] = parts[-1].values if native else {}
        try:
            made = lower_node(graph, node, known, training)
        except CannotLower as reason:
            if not parts or parts[-1].reason != str(reason):
                parts.append(Part(reason=str(reason)))
            parts[-1].nodes.append(node)
            continue
        if not native:
            parts.append(Part())
        parts[-1].nodes.append(node)
        for number, value in zip(node.outputs, made, strict=True):
            parts[-1].values[number] = kept(value) if uses[number] > 1 else value
    return parts


def needed_outside(graph: Graph, parts: list[Part]) -> list[tuple[int, ...]]:
    """Return, for each part, the values that it makes and others take."""
    found = []
    for part in parts:
        inside = {id(node) for node in part.nodes}
        taken = {v for node in graph.nodes if id(node) not in inside for v in node.inputs} | set(graph.outputs)
        found.append(tuple(v for node in part.nodes for v in node.outputs if v in taken))
    return found


def _uses(graph: Graph) -> Counter[int]:
    uses = Counter(v for node in graph.nodes for v in node.inputs if v is not None)
    uses.update(graph.outputs)
    return uses
