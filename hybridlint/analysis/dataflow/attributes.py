"""Reads and stores of an attribute in code, found by the attribute's name on any object."""

from __future__ import annotations

import ast

from hybridlint.text.syntax import each, is_stored


def reads_of(code: ast.AST, name: str) -> list[ast.Attribute]:
    """Return the nodes of some code that read an attribute."""
    return [node for node in each(code, ast.Attribute) if node.attr == name and not is_stored(node)]


def stores_of(code: ast.AST, name: str) -> list[ast.Attribute]:
    """Return the nodes of some code that store or delete an attribute."""
    return [node for node in each(code, ast.Attribute) if node.attr == name and is_stored(node)]
