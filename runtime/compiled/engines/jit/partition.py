"""Which nodes of a graph become native code together, and which the plain engine runs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hybridlint.runtime.compiled.engines.jit.lowering import lower_node
from hybridlint.runtime.compiled.engines.jit.values import CannotLower, Map, Stored, Value
from hybridlint.runtime.compiled.graph import Graph, GraphNode

#: Functions within functions to this depth are computed together; deeper ones are stored in between.
_DEEPEST = 40


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
    depths: dict[Value, int] = {}
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
            parts[-1].values[number] = _kept(value, uses[number], depths)
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


def _kept(value: Value, uses: int, depths: dict[Value, int]) -> Value:
    """Return a value, stored where several nodes look at it, or where it is a function of very many."""
    if not isinstance(value, Map):
        return value
    deep = _depth(value, depths) > _DEEPEST
    if not deep and uses < 2:
        return value
    kept = Stored(value.shape, source=value)
    depths[kept] = 0
    return kept


def _depth(value: Value, depths: dict[Value, int]) -> int:
    """Return how many functions stand within each other."""
    waiting = [value]
    while waiting:
        at = waiting[-1]
        missing = [s for s in at.sources if s not in depths]
        if missing:
            waiting += missing
            continue
        inner = max((depths[s] for s in at.sources), default=0)
        depths[at] = inner + 1 if isinstance(at, Map) else 0
        waiting.pop()
    return depths[value]
