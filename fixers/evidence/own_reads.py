"""Reads of attributes of self in classes that share no object with another class."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from hybridlint.text.syntax import each, walk


@lru_cache(maxsize=16)
def of_other_objects(tree: ast.AST, class_name: str) -> frozenset[int]:
    """Return the reads ``self.x``, by identity, in the classes of a file whose objects are none of the named class."""
    bases = {node.name: {_last(base) for base in node.bases} for node in each(tree, ast.ClassDef)}
    related = _family(class_name, bases)
    return frozenset(
        id(read)
        for owner in each(tree, ast.ClassDef)
        if owner.name not in related
        for read in walk(owner)
        if isinstance(read, ast.Attribute) and isinstance(read.value, ast.Name) and read.value.id == "self"
    )


def _family(name: str, bases: Mapping[str, set[str]]) -> set[str]:
    """Return a class, its descendants in the file, and all ancestors of these."""
    below = {name}
    while more := {one for one, above in bases.items() if above & below} - below:
        below |= more
    related = set(below)
    while more := {one for known in related for one in bases.get(known, ())} - related:
        related |= more
    return related


def _last(base: ast.expr) -> str:
    """Return the name that ends a dotted name of a base."""
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
