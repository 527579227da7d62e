"""Contexts of the arguments and outputs of symbols whose ``ctx_group`` attributes have contexts of their own."""

from __future__ import annotations

from collections.abc import Mapping

from hybridlint.runtime.context import Context
from hybridlint.runtime.symbol.node import SymbolNode, topological
from hybridlint.runtime.symbol.symbol import Symbol


def of_variables(symbol: Symbol, groups: Mapping[str, Context], default: Context) -> dict[str, Context]:
    """Return the context of each variable: that of its group, else the default one."""
    variables = [node for node in topological(symbol._entries) if node.op is None]
    return {node.name: _own(node, groups) or default for node in variables}


def of_outputs(symbol: Symbol, groups: Mapping[str, Context], default: Context) -> list[Context]:
    """Return the context of each output: that of its group, else the one that its inputs come from."""
    placed: dict[int, Context | None] = {}
    for node in topological(symbol._entries):
        inherited = (placed[id(entry[0])] for entry in node.inputs if entry is not None)
        placed[id(node)] = _own(node, groups) or next((ctx for ctx in inherited if ctx is not None), None)
    return [placed[id(node)] or default for node, _ in symbol._entries]


def _own(node: SymbolNode, groups: Mapping[str, Context]) -> Context | None:
    return groups.get(node.attributes.get("__ctx_group__", ""))
