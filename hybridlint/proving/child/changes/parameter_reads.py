"""Parameters whose data a block's pass reads itself, so that a graph may keep numbers of the trace.

They are found in the source; nothing runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from hybridlint.proving.child.changes.stores import is_self

#: Methods that return what a parameter holds.
_DATA = ("data", "list_data")


def parameters_read(functions: Iterable[ast.AST]) -> list[tuple[str, ...]]:
    """Return the parameters whose data functions of a block read, each as its chain of attributes."""
    return list(dict.fromkeys(chain for function in functions for chain in _chains(function)))


def _chains(function: ast.AST) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DATA:
            chain = _from_self(node.func.value, function)
            if chain:
                yield chain


def _from_self(node: ast.expr, function: ast.AST) -> tuple[str, ...]:
    """Return the attributes of a chain such as ``self.gate.weight``, nothing if it does not begin with `self`."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return tuple(names) if is_self(node, function) else ()
