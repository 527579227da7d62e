"""Dotted names: ``a.b.c`` as its parts."""

from __future__ import annotations

import ast


def dotted_parts(node: ast.expr) -> tuple[str, ...] | None:
    """Return ``("a", "b", "c")`` for ``a.b.c``, or None for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return (node.id, *reversed(names))
