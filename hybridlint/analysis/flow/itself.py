"""Attributes that get back what they were: a conversion of themselves, or the empty container that they began with."""

from __future__ import annotations

import ast
from collections.abc import Set

from hybridlint.analysis.model.values import Items, ProjectClass, Value
from hybridlint.text.syntax import branches


def is_stored_as_itself(target: ast.Attribute, statement: ast.AST, keeping: Set[str]) -> bool:
    """Return whether an assignment stores the result of one of the attribute's own value-preserving methods."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as source, attr=method))):
            return method in keeping and source.attr == target.attr and _same(source.value, target.value)
    return False


def is_emptied(info: ProjectClass, name: str, value: Value) -> bool:
    """Return whether a plain object empties a container that its ``__init__`` leaves empty: each call begins alike."""
    found = info.method("__init__")
    if info.block or not isinstance(value, Items) or value.items != () or found is None:
        return False
    return any(_stores_nothing(node, name) for node in branches(found[0]))


def _stores_nothing(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Assign(
            targets=[ast.Attribute(attr=attribute)], value=ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[])
        ):
            return attribute == name
        case _:
            return False


def _same(left: ast.expr, right: ast.expr) -> bool:
    return isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id == right.id
