"""Contexts of the arguments and outputs of graphs whose ``ctx_group`` attributes have contexts of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.context import Context


def of_variables(nodes: Sequence[Any], groups: Mapping[str, Context], default: Context) -> dict[str, Context]:
    """Return the context of each variable of a graph's nodes: that of its group, else the default one."""
    return {node.name: _own(node, groups) or default for node in nodes if node.op is None}


def of_outputs(
    nodes: Sequence[Any], entries: Sequence[Any], groups: Mapping[str, Context], default: Context
) -> list[Context]:
    """Return the context of each output: that of its group, else the one that its inputs come from."""
    placed: dict[int, Context | None] = {}
    for node in nodes:
        inherited = (placed[id(entry[0])] for entry in node.inputs if entry is not None)
        placed[id(node)] = _own(node, groups) or next((ctx for ctx in inherited if ctx is not None), None)
    return [placed[id(node)] or default for node, _ in entries]


def _own(node: Any, groups: Mapping[str, Context]) -> Context | None:
    return groups.get(node.attributes.get("__ctx_group__", ""))
