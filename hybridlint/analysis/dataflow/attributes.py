"""Reads and stores of an attribute in code, found by the attribute's name on any object."""

from __future__ import annotations

import ast

from hybridlint.text.syntax import each


def reads_of(code: ast.AST, name: str) -> list[ast.Attribute]:
    """Return the nodes of some code that read an attribute."""
    return [node for node in each(code, ast.Attribute) if node.attr == name and isinstance(node.ctx, ast.Load)]


def stores_of(code: ast.AST, name: str) -> list[ast.Attribute]:
    """Return the nodes of some code that store or delete an attribute."""
    return [node for node in each(code, ast.Attribute) if node.attr == name and not isinstance(node.ctx, ast.Load)]
