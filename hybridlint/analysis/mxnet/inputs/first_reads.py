"""Arguments whose array attributes a function reads before it checks their kinds."""

from __future__ import annotations

import ast
from functools import cache

from hybridlint.runtime.facts import surface
from hybridlint.text.syntax import each, walk

_NESTED = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef)


def read_as_arrays(node: ast.FunctionDef) -> frozenset[str]:
    """Return the names of which a plain statement of the body reads ``shape`` or the like while nothing tested them."""
    if not any(is_of_arrays(part.attr) for part in each(node, ast.Attribute)):
        return frozenset()
    found: set[str] = set()
    checked: set[str] = set()
    for statement in node.body:
        names = {n.id for n in walk(statement) if isinstance(n, ast.Name)} if isinstance(statement, _NESTED) else set()
        parts = () if names else list(walk(statement))
        for part in parts:
            match part:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name not in checked and is_of_arrays(attr):
                    found.add(name)
                case ast.Call(func=ast.Name(id="isinstance" | "type" | "hasattr"), args=[ast.Name(id=name), *_]):
                    checked.add(name)
        checked |= names
    return frozenset(found - _checked_at_once(node))


def _checked_at_once(node: ast.FunctionDef) -> frozenset[str]:
    """Return the names that a conditional expression tests: ``x[0].shape if isinstance(x, list) else x.shape``."""
    return frozenset(n.id for part in each(node, ast.IfExp) for n in each(part.test, ast.Name))


@cache
def is_of_arrays(attribute: str) -> bool:
    """Return whether an array has an attribute that no list, tuple or dict has."""
    known = surface.has_attribute(attribute, "eager", "legacy")
    return bool(known) and not any(hasattr(kind, attribute) for kind in (list, tuple, dict))
