"""Graphs without the casts of mixed precision, as they are written to files for those that compute in one precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

_CASTS = {"amp_cast", "amp_multicast"}


def without(nodes: Sequence[Any], entries: Sequence[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """Return the outputs of a graph, whose nodes are in topological order, with each cast replaced by its input."""
    if not any(node.op is not None and node.op.name in _CASTS for node in nodes):
        return list(entries)
    made: dict[int, Any] = {}

    def moved(entry: tuple[Any, int]) -> tuple[Any, int]:
        node, index = entry
        while node.op is not None and node.op.name in _CASTS:
            node, index = node.inputs[index]
        return made[id(node)], index

    for node in nodes:
        if node.op is None:
            made[id(node)] = node
        elif node.op.name not in _CASTS:
            inputs = [None if entry is None else moved(entry) for entry in node.inputs]
            made[id(node)] = replace(node, inputs=inputs, attributes=dict(node.attributes))
    return [moved(entry) for entry in entries]
