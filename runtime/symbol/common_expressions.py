"""Graphs in which equal calls on the same inputs are one, as MXNet's executors run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hybridlint.runtime.facts import registry

#: A node and the number of its output.
Entry = tuple[Any, int]


def merged(nodes: Sequence[Any], entries: Sequence[Entry]) -> list[Entry]:
    """Return the outputs of a graph, whose nodes are in topological order, with equal calls made once.

    An output that another one equals becomes a copy of it, so that both have memory of their own.
    """
    kept: dict[Any, Any] = {}
    became: dict[int, Any] = {}
    for node in nodes:
        if node.op is None:
            became[id(node)] = node
            continue
        inputs = [None if e is None else (became[id(e[0])], e[1]) for e in node.inputs]
        same = inputs == list(node.inputs)
        candidate = node if same else replace(node, inputs=inputs, attributes=dict(node.attributes))
        became[id(node)] = kept.setdefault(_identity(candidate), candidate) if _mergeable(node) else candidate
    found: list[Entry] = []
    for node, index in entries:
        entry = (became[id(node)], index)
        if node.op is not None and entry in found:
            entry = (type(node)(registry.get("_copy"), f"{entry[0].name}_{index}_copy", inputs=[entry]), 0)
        found.append(entry)
    return found


def _mergeable(node: Any) -> bool:
    """Return whether two calls give the same: they draw nothing, change no states, and have one output."""
    op = node.op
    return not (op.aux or op.writes_inputs or op.asks_mode(node.params) or _draws(node) or node.subgraphs) and (
        node.visible == 1
    )


def _draws(node: Any) -> bool:
    return bool(node.op.random and not node.op.differentiable) or bool(node.op.facts.unpredictable)


def _identity(node: Any) -> Any:
    places = tuple(None if e is None else (id(e[0]), e[1]) for e in node.inputs)
    written = (tuple(sorted(node.given.items())), tuple(sorted(node.attributes.items())))
    return node.op.name, places, written
