"""Reads in a block's pass that differ between calls with equal inputs, such as Python's random numbers.

A graph keeps the first value. Calls that agree only show that the drawn numbers did not matter there.
"""

from __future__ import annotations

import ast
import random
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from hybridlint.proving.child.changes.change import own_classes, parts_of
from hybridlint.proving.child.changes.settings import ChangedSettings
from hybridlint.proving.child.changes.stores import is_self, parse_stores
from hybridlint.proving.child.changes.thresholds import deciding
from hybridlint.proving.child.runs.variants import BlockVersion

#: What draws random numbers, other than MXNet.
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)
_CLOCKS = ("time",)


def unforeseen(side: BlockVersion, block: Any) -> list[str]:
    """Return the random draws of a block's pass, and the clocks that it decides by, in the user's words."""
    classes = own_classes(side.world, block)
    if not classes:
        return []
    known = ChangedSettings(parse_stores(side.text))
    found: dict[str, None] = {}
    for cls in classes:
        part = next(parts_of(block, cls))
        for function in known.forward(cls.__name__):
            found.update(dict.fromkeys(_drawn(function, part, side.world.namespace)))
    return list(found)


def _drawn(function: ast.AST, part: Any, namespace: Any) -> Iterator[str]:
    decisions = {id(call) for expression in deciding(function) for call in ast.walk(expression)}
    for node in _calls(ast.walk(function)):
        names, owner = _chain(node.func, function, part, namespace)
        called = _reached(owner, names[1:])
        source = getattr(called, "__self__", None)
        is_clock = isinstance(source, types.ModuleType) and source.__name__ in _CLOCKS
        if isinstance(source, _GENERATORS) or (is_clock and id(node) in decisions):
            yield f"{'.'.join(names)}()"
        elif names == ["next"] and node.args:
            drawn, owner = _chain(node.args[0], function, part, namespace)
            if isinstance(_reached(owner, drawn[1:]), Iterator):
                yield f"next({'.'.join(drawn)})"


def _calls(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    return (node for node in nodes if isinstance(node, ast.Call))


def _chain(node: ast.expr, function: ast.AST, part: Any, namespace: Any) -> tuple[list[str], Any]:
    """Return the names of a dotted expression, and the object of its first name; no names for other expressions."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return [], None
    return [node.id, *names], part if is_self(node, function) else namespace.get(node.id)


def _reached(owner: Any, names: Iterable[str]) -> Any:
    """Return the object at the end of a chain of attributes, None if an attribute is missing."""
    for name in names:
        owner = getattr(owner, name, None)
    return owner
