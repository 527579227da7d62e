"""Index names: names that index the block's children, or that count up to one of its settings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeAlias

from hybridlint.text.syntax import walk

#: Whether an expression holds children of the block, or iterates over them.
Children: TypeAlias = Callable[[ast.expr], bool]

#: The kinds of syntax that show what a name counts.
_LOOKED_AT = frozenset({ast.For, ast.comprehension, ast.Subscript, ast.Call, ast.While})


class Indexes:
    """The names in some code that index the block's children, or that count up to an attribute of self."""

    def __init__(self, nodes: Iterable[ast.AST], children: Children) -> None:
        self._children = children
        self._names: set[str] = set()
        #: The names over whose length each index counts: ``for i in range(len(x))``.
        self.lengths: dict[str, set[str]] = {}
        for inner in nodes:
            if type(inner) in _LOOKED_AT:
                self._look(inner)

    def numbers(self, index: ast.expr) -> bool:
        """Return whether a subscript selects the element for one child, or for one iteration of a counted loop."""
        return any(isinstance(n, ast.Name) and n.id in self._names for n in walk(index))

    def _look(self, node: ast.AST) -> None:
        match node:
            case ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source):
                self._names |= self._bound(target, source)
                self._count(target, source)
            case ast.Subscript(value=base, slice=index) if self._children(base):
                self._names |= _names(index)
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="self"), key, *_]):
                self._names |= _names(key)
            case ast.While(test=ast.Compare(left=ast.Name(id=name), comparators=[limit])) if is_of_self(limit):
                self._names.add(name)
            case _:
                return

    def _count(self, target: ast.expr, source: ast.expr) -> None:
        match target, source:
            case (
                ast.Name(id=index),
                ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])]),
            ):
                self.lengths.setdefault(index, set()).add(name)
            case _:
                return

    def _bound(self, target: ast.expr, source: ast.expr) -> set[str]:
        match source, target:
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]), ast.Tuple(elts=[ast.Name(id=name), *_]):
                return {name} if is_of_self(inner) else set()
            case ast.Call(func=ast.Name(id="range"), args=limits), ast.Name(id=name):
                return {name} if any(map(is_of_self, limits)) else set()
            case ast.Call(func=ast.Name(id="reversed"), args=[inner]), _:
                return self._bound(target, inner)
            case _:
                # ``for i in self.picked``: an element of a setting counts as an index, a child does not.
                return _names(target) if is_of_self(source) and not self._children(source) else set()


def is_of_self(node: ast.expr) -> bool:
    """Return whether an expression reads an attribute of self."""
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self" for n in walk(node)
    )


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}
