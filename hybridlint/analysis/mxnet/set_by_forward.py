"""Attributes that ``forward`` sets at each call and ``hybrid_forward`` reads: the graph keeps those of its trace."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.retracing import PASSED, retraced
from hybridlint.text.syntax import branches, is_own

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass


def read_at_trace(info: ProjectClass) -> Iterator[ast.Attribute]:
    """Yield the first place that reads each attribute which the class's ``forward`` sets before it calls the graph.

    The ``forward`` may be inherited, and the places are those of the class's own file.
    """
    if retraced(info):
        return
    reads, stores = _attributes(info)
    for name in _set_each_call(info) - stores:
        if name in reads:
            yield reads[name]


def _set_each_call(info: ProjectClass) -> set[str]:
    """Return the attributes that a method around the graph computes anew at each call."""
    found: set[str] = set()
    for method in (one.methods[name] for one in info.lineage for name in PASSED if name in one.methods):
        nodes = list(branches(method))
        if any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "super" for n in nodes):
            found.update(name for node in nodes for name in _computed(node))
    return found


def _computed(node: ast.AST) -> Iterator[str]:
    """Yield the attributes of self that a statement sets to something that is no constant."""
    match node:
        case ast.Assign(targets=targets, value=value) if not isinstance(value, ast.Constant):
            pass
        case ast.AugAssign(target=target):
            targets = [target]
        case _:
            return
    parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    yield from (part.attr for part in parts if is_own(part) and isinstance(part, ast.Attribute))


def _attributes(info: ProjectClass) -> tuple[dict[str, ast.Attribute], set[str]]:
    """Return the attributes that the traced method and the methods it calls read, each once, and those they set."""
    reads: dict[str, ast.Attribute] = {}
    stores: set[str] = set()
    waiting, entered = [ENTRY], {*PASSED, "__init__"}
    while waiting:
        name = waiting.pop()
        found = None if name in entered else info.method(name)
        if found is None:
            continue
        entered.add(name)
        method, owner = found
        for node in branches(method):
            if not isinstance(node, ast.Attribute) or not is_own(node):
                continue
            if isinstance(node.ctx, ast.Load):
                if owner.module is info.module:
                    reads.setdefault(node.attr, node)
                waiting.append(node.attr)
            else:
                stores.add(node.attr)
    return reads, stores
