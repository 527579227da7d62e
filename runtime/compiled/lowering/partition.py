"""Which nodes of a graph become native code together, and which the plain engine runs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hybridlint.runtime.compiled.engines.parts import Part
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.abilities import Abilities
from hybridlint.runtime.compiled.lowering.elements import keep_value
from hybridlint.runtime.compiled.lowering.lowering import Lowering
from hybridlint.runtime.compiled.lowering.values import ArrayValue, CannotLower


@dataclass(slots=True)
class NativePart(Part):
    """Consecutive nodes; those that become native code have the values of their outputs."""

    values: dict[int, ArrayValue] = field(default_factory=dict)


def partition(graph: Graph, abilities: Abilities, *, training: bool) -> list[NativePart]:
    """Return the parts of a graph, in the order of execution, for an engine with these abilities."""
    lowering = Lowering(graph, abilities, training=training)
    uses = _uses(graph)
    parts: list[NativePart] = []
    for node in graph.nodes:
        native = bool(parts) and parts[-1].native
        known: Mapping[int, ArrayValue] = parts[-1].values if native else {}
        try:
            made = lowering.lower(node, known)
        except CannotLower as reason:
            if not parts or parts[-1].reason != str(reason):
                parts.append(NativePart(reason=str(reason)))
            parts[-1].nodes.append(node)
            continue
        if not native:
            parts.append(NativePart())
        parts[-1].nodes.append(node)
        for number, value in zip(node.outputs, made, strict=True):
            parts[-1].values[number] = keep_value(value) if uses[number] > 1 else value
    return parts


def _uses(graph: Graph) -> Counter[int]:
    uses = Counter(v for node in graph.nodes for v in node.inputs if v is not None)
    uses.update(graph.outputs)
    return uses
