"""Settings that ``__init__`` hands on: to layers, to parameters, to whatever else it builds."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hybridlint.text.syntax import branches, is_own, walk


def hands_on(init: ast.FunctionDef, name: str) -> bool:
    """Return whether an ``__init__`` passes the value of ``self.name``, or the value stored there, to a call.

    The call whose result is stored there, such as ``self.name = int(size)``, does not count.
    """
    stores, calls = _parts(init)
    own = [store for store in stores if name in store.attributes]
    sources = {source for store in own for source in store.sources}
    handing = [call for call in calls if name in call.attributes or not sources.isdisjoint(call.names)]
    return bool(handing) and not {id(call.node) for call in handing} <= {
        id(n) for store in own for n in walk(store.node)
    }


class _Store(NamedTuple):
    """An assignment: the attributes of self among its targets, and the names in its value."""

    node: ast.Assign
    attributes: frozenset[str]
    sources: frozenset[str]


class _Call(NamedTuple):
    """A call: the attributes of self in its arguments, and the names there."""

    node: ast.Call
    attributes: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=64)
def _parts(init: ast.FunctionDef) -> tuple[list[_Store], list[_Call]]:
    """Return the assignments and the calls of an ``__init__``, cached for the questions about each setting."""
    stores: list[_Store] = []
    calls: list[_Call] = []
    for node in branches(init):
        if isinstance(node, ast.Assign):
            attributes = frozenset(target.attr for target in _targets(node) if is_own(target))
            if attributes:
                stores.append(_Store(node, attributes, _names(walk(node.value))))
        elif isinstance(node, ast.Call):
            parts = [part for value in (*node.args, *(k.value for k in node.keywords)) for part in walk(value)]
            calls.append(_Call(node, frozenset(part.attr for part in parts if is_own(part)), _names(parts)))
    return stores, calls


def _targets(node: ast.Assign) -> list[ast.expr]:
    """Return the targets of an assignment, each of those that it unpacks to by itself."""
    found: list[ast.expr] = []
    for target in node.targets:
        found += target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return found


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))
