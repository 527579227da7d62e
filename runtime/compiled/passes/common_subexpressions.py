"""Common subexpression elimination: equal calls are computed once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hybridlint.runtime.compiled.graph import Graph, GraphNode


def merge_common_subexpressions(graph: Graph) -> Graph:
    """Return the graph with equal calls (operator, inputs, parameters) merged.

    Random draws and operators with state are never merged.
    """
    first: dict[Any, GraphNode] = {}
    renamed: dict[int, int] = {}
    kept: list[GraphNode] = []
    for node in graph.nodes:
        inputs = tuple(None if v is None else renamed.get(v, v) for v in node.inputs)
        moved = node if inputs == node.inputs else replace(node, inputs=inputs)
        key = (node.op, inputs, tuple(sorted(node.params.items())))
        twin = None if _unique(node) else _find(first, key, moved)
        if twin is None:
            kept.append(moved)
        else:
            renamed.update(zip(node.outputs, twin.outputs, strict=True))
    outputs = tuple(renamed.get(v, v) for v in graph.outputs)
    return replace(graph, nodes=tuple(kept), outputs=outputs)


def _unique(node: GraphNode) -> bool:
    return node.op.random or bool(node.op.aux)


def _find(first: dict[Any, GraphNode], key: Any, node: GraphNode) -> GraphNode | None:
    try:
        found = first.setdefault(key, node)
    except TypeError:
        return None
    return None if found is node else found
