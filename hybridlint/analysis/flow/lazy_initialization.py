"""Lazy initialization, ``if self.x is None: self.x = ...``, which carries no state from one call to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.syntax import walk


def made_once(node: ast.If) -> frozenset[str]:
    """Return the attributes of self, and the containers, that an if statement fills while they are empty.

    Empty if the body does anything else. Otherwise it does not matter which call runs the body.
    """
    made: set[str] = set()
    for statement in () if node.orelse else node.body:
        if isinstance(statement, ast.Expr | ast.Import | ast.ImportFrom):
            continue
        names = [_kept_under(t) for t in statement.targets] if isinstance(statement, ast.Assign) else [None]
        if None in names:
            return frozenset()
        made |= {name for name in names if name is not None}
    return frozenset(made) if made and not made.isdisjoint(_tested_names(node.test)) else frozenset()


def _kept_under(target: ast.expr) -> str | None:
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case ast.Subscript(value=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
        case _:
            return None


def _tested_names(test: ast.expr) -> Iterator[str]:
    """Yield the attributes that a test reads or names, and the containers that it searches for a key."""
    for node in walk(test):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) | ast.Constant(value=str() as name):
                yield name
            case ast.Compare(ops=[ast.NotIn()], comparators=[ast.Attribute(attr=name) | ast.Name(id=name)]):
                yield name
