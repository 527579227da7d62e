"""Classes that override ``hybridize``: fixes write that into a class that stays eager and has its children compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.definitions import classes

_METHOD = "hybridize"


def made_eager(before: ast.Module, after: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the classes that override ``hybridize`` in the second tree alone: qualified names, rows of the methods."""
    already = {name for name, _ in _overriding(before)}
    yield from ((name, row) for name, row in _overriding(after) if name not in already)


def _overriding(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for name, node in classes(tree.body):
        rows = (item.lineno for item in node.body if isinstance(item, ast.FunctionDef) and item.name == _METHOD)
        yield from ((name, row) for row in rows)
