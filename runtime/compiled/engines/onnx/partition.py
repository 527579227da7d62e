"""Which nodes of a graph become models of ONNX, and which the plain engine runs between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hybridlint.runtime.compiled.engines.onnx.model import CannotWrite, ModelWriter
from hybridlint.runtime.compiled.engines.parts import Part
from hybridlint.runtime.compiled.graph import Graph, GraphNode


@dataclass(slots=True)
class ModelPart(Part):
    """Consecutive nodes. If they become a model, they have its writer."""

    writer: ModelWriter | None = field(default=None)


def partition(graph: Graph, *, training: bool) -> list[ModelPart]:
    """Return the parts of a graph, in the order of execution."""
    used = {v for node in graph.nodes for v in node.inputs if v is not None} | set(graph.outputs)
    parts: list[ModelPart] = []
    for node in graph.nodes:
        last = parts[-1].writer if parts else None
        writer = last or ModelWriter(graph, used, training=training)
        try:
            writer.add(node)
        except CannotWrite as reason:
            _left(parts, node, str(reason))
            continue
        if last is None:
            parts.append(ModelPart(writer=writer))
        parts[-1].nodes.append(node)
    return parts


def _left(parts: list[ModelPart], node: GraphNode, reason: str) -> None:
    """Leave a node to the plain engine, together with those before it that are left for the same reason."""
    if not parts or parts[-1].reason != reason:
        parts.append(ModelPart(reason=reason))
    parts[-1].nodes.append(node)
