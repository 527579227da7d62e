"""Attributes that ``forward`` sets at each call and ``hybrid_forward`` reads: the graph keeps those of its trace."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridlint.analysis.model.tables import GROWING
from hybridlint.analysis.mxnet.blocks.retracing import PASSED, retrace_conditions
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.text.syntax import branches, is_own

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass

#: An attribute of self, and the constant key of the item of it that is meant; None for all of it.
_Part: TypeAlias = "tuple[str, Any]"


def read_at_trace(info: ProjectClass) -> Iterator[ast.Attribute]:
    """Yield the first place that reads each attribute which the class's ``forward`` sets before it calls the graph.

    It may set an item of what the attribute holds. The ``forward`` may be inherited, and the places are those of the
    class's own file.
    """
    if retrace_conditions(info):
        return
    set_parts = _set_each_call(info)
    reads, stores = _attributes(info) if set_parts else ({}, set())
    told: set[str] = set()
    for (name, key), node in reads.items():
        if name in told or name in stores:
            continue
        if any(name == other and (key is None or item is None or key == item) for other, item in set_parts):
            told.add(name)
            yield node


def _set_each_call(info: ProjectClass) -> set[_Part]:
    """Return the attributes, and the items of them, that a method around the graph computes anew at each call."""
    found: set[_Part] = set()
    for method in (one.methods[name] for one in info.lineage for name in PASSED if name in one.methods):
        nodes = list(branches(method))
        if any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "super" for n in nodes):
            found.update(part for node in nodes for part in _computed(node))
    return found


def _computed(node: ast.AST) -> Iterator[_Part]:
    """Yield the attributes of self, or their items, that a statement sets to something that is no constant."""
    targets: Sequence[ast.expr] = ()
    match node:
        case ast.Assign(value=value) if not isinstance(value, ast.Constant):
            targets = node.targets
        case ast.AugAssign():
            targets = [node.target]
        case ast.Call(func=ast.Attribute(value=holder, attr=method), args=args, keywords=keywords):
            given = [*args, *(keyword.value for keyword in keywords)]
            if method in GROWING and is_own(holder) and not all(isinstance(one, ast.Constant) for one in given):
                yield holder.attr, None
        case _:
            return
    for target in targets:
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            yield from _part(part)


def _part(node: ast.AST) -> Iterator[_Part]:
    """Yield the attribute of self that an expression is, or the item of one; nothing for others."""
    match node:
        case ast.Attribute(attr=name) if is_own(node):
            yield name, None
        case ast.Subscript(value=ast.Attribute(attr=name) as holder, slice=key) if is_own(holder):
            yield name, key.value if isinstance(key, ast.Constant) else None
        case _:
            return


def _attributes(info: ProjectClass) -> tuple[dict[_Part, ast.Attribute], set[str]]:
    """Return the attributes that the traced method and the methods it calls read, each once, and those they set."""
    reads: dict[_Part, ast.Attribute] = {}
    stores: set[str] = set()
    waiting, entered = [ENTRY], {*PASSED, "__init__"}
    while waiting:
        name = waiting.pop()
        found = None if name in entered else info.method(name)
        if found is None:
            continue
        entered.add(name)
        method, owner = found
        nodes = list(branches(method))
        keyed = {id(n.value): key for n in nodes if isinstance(n, ast.Subscript) for _, key in _part(n)}
        for node in nodes:
            if not isinstance(node, ast.Attribute) or not is_own(node):
                continue
            if isinstance(node.ctx, ast.Load):
                if owner.module is info.module:
                    reads.setdefault((node.attr, keyed.get(id(node))), node)
                waiting.append(node.attr)
            else:
                stores.add(node.attr)
    return reads, stores
