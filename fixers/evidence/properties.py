"""Properties of a class: methods that run where an attribute of `self` is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.fixers.toolkit.class_hierarchy import methods_in
from hybridlint.text.syntax import walk

_DECORATORS = frozenset({"property", "cached_property", "functools.cached_property"})


def properties_read(
    tree: ast.AST, class_name: str | None, function: ast.AST
) -> Iterator[tuple[ast.Attribute, ast.FunctionDef]]:
    """Yield the reads of ``self.name`` in a function that run a property of the class, with the property's method.

    Properties of the class itself are known, not those that it inherits.
    """
    getters = {name: method for name, method in methods_in(tree, class_name).items() if is_property(method)}
    for node in walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()) if name in getters:
                yield node, getters[name]


def is_property(function: ast.FunctionDef) -> bool:
    """Return whether a method runs where its name is read."""
    return any(ast.unparse(decorator) in _DECORATORS for decorator in function.decorator_list)
