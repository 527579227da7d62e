"""Dotted names such as ``config.hidden`` that code reads: of a variable, or of an attribute of self."""

from __future__ import annotations

import ast

from hybridlint.text.syntax import is_own


def dotted_name(node: ast.AST) -> str:
    """Return the dotted name that an expression reads, starting at a variable or at an attribute of self; else "".

    An attribute of self usually holds the constructor argument of the same name.
    """
    if isinstance(node, ast.Name):
        return "" if node.id == "self" else node.id
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return node.attr.strip("_")
        owner = dotted_name(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    if isinstance(node, ast.Subscript):
        owner, key = dotted_name(node.value), key_of(node)
        return f"{owner}.{key}" if owner and key is not None and key.isidentifier() else ""
    return ""


def key_of(node: ast.Subscript) -> str | None:
    """Return the string key of a subscript, None for any other key."""
    key = node.slice
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def own_attribute(node: ast.AST) -> str:
    """Return the name of the attribute of `self` that an expression is, "" for any other expression."""
    return node.attr if is_own(node) else ""
