"""Constant folding: values that depend on no input are computed at compile time."""

from __future__ import annotations

from dataclasses import replace

from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.core.imperative import compute
from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.platforms import platform_of

#: Larger constants are cheaper to compute than to store.
_LARGEST = 1 << 16


def fold_constants(graph: Graph) -> Graph:
    """Return the graph with nodes on constant inputs replaced by their values."""
    constants = dict(graph.constants)
    kept: list[GraphNode] = []
    for node in graph.nodes:
        if not _foldable(node, graph) or not all(v is None or v in constants for v in node.inputs):
            kept.append(node)
            continue
        raws = [None if v is None else constants[v] for v in node.inputs]
        results = compute(node.op, raws, node.params, training=False)
        constants.update(zip(node.outputs, (platform_of(raws).owned(r, raws) for r in results), strict=True))
    return replace(graph, nodes=tuple(kept), constants=constants)


def _foldable(node: GraphNode, graph: Graph) -> bool:
    if node.op.random or node.op.modal:
        return False
    sizes = (product(graph.types[v].shape or ()) for v in node.outputs)
    return all(isinstance(size, int) and size <= _LARGEST for size in sizes)
