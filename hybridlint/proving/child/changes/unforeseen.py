"""What the pass of a block asks for that differs from call to call whatever the inputs are: Python's random numbers.

A graph keeps the first one. Calls that agree show that none of the numbers they drew was one that matters.
"""

from __future__ import annotations

import ast
import random
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from hybridlint.proving.child.changes.change import own_classes, parts_of
from hybridlint.proving.child.changes.settings import Settings
from hybridlint.proving.child.changes.stores import is_self, parsed
from hybridlint.proving.child.changes.thresholds import deciding
from hybridlint.proving.child.runs.variants import Side

#: What draws random numbers, other than MXNet.
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)
_CLOCKS = ("time",)


def unforeseen(side: Side, block: Any) -> list[str]:
    """Return what the pass of a block and its parts draws, and the clocks by which it decides, in the user's words."""
    classes = own_classes(side.world, block)
    if not classes:
        return []
    known = Settings(parsed(side.text))
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
    """Return the names of a dotted expression, and the object that its first one stands for; no names for any other."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return [], None
    return [node.id, *names], part if is_self(node, function) else namespace.get(node.id)


def _reached(owner: Any, names: Iterable[str]) -> Any:
    """Return what attributes of an object lead to, None if one is missing."""
    for name in names:
        owner = getattr(owner, name, None)
    return owner
