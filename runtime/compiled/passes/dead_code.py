"""Dead code elimination, including random draws (as in MXNet)."""

from __future__ import annotations

from dataclasses import replace

from hybridlint.runtime.compiled.graph import Graph, GraphNode


def remove_dead_code(graph: Graph) -> Graph:
    """Return the graph with only the nodes and constants that its outputs depend on."""
    live = set(graph.outputs)
    kept: list[GraphNode] = []
    for node in reversed(graph.nodes):
        if live.intersection(node.outputs):
            kept.append(node)
            live.update(v for v in node.inputs if v is not None)
    constants = {v: raw for v, raw in graph.constants.items() if v in live}
    return replace(graph, nodes=tuple(reversed(kept)), constants=constants)
