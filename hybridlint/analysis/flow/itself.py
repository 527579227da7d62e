"""Attributes that are assigned a conversion of themselves: ``self.window = self.window.as_in_context(ctx)``."""

from __future__ import annotations

import ast
from collections.abc import Set


def is_stored_as_itself(target: ast.Attribute, statement: ast.AST, keeping: Set[str]) -> bool:
    """Return whether an assignment stores the result of one of the attribute's own value-preserving methods."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as source, attr=method))):
            return method in keeping and source.attr == target.attr and _same(source.value, target.value)
    return False


def _same(left: ast.expr, right: ast.expr) -> bool:
    return isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id == right.id
