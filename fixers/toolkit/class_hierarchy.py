"""The classes of a file by their bases: the ancestors and the descendants of a class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache

from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.text.syntax import each


def derives_from(node: ast.AST, name: str) -> bool:
    """Whether a node is a class with a base of this name."""
    return isinstance(node, ast.ClassDef) and any((dotted_parts(base) or ("",))[-1] == name for base in node.bases)


def lineage_of(owner: ast.ClassDef, classes: Iterable[ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class and its ancestors among the given classes, nearest first."""
    known, found = list(classes), [owner]
    for one in found:
        found += [base for base in known if derives_from(one, base.name) and base not in found]
    return found


def heirs_of(owner: ast.ClassDef, classes: Iterable[ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class and its descendants among the given classes, nearest first."""
    known, found = list(classes), [owner]
    for one in found:
        found += [other for other in known if derives_from(other, one.name) and other not in found]
    return found


def constructor_of(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the ``__init__`` of a class; None if it inherits one."""
    return next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)


@lru_cache(maxsize=16)
def methods_in(tree: ast.AST, class_name: str | None) -> Mapping[str, ast.FunctionDef]:
    """Return the methods in the body of a class of a file by name; none without a class."""
    owners = (n for n in each(tree, ast.ClassDef) if n.name == class_name)
    return {n.name: n for owner in owners for n in owner.body if isinstance(n, ast.FunctionDef)}


@lru_cache(maxsize=64)
def methods_of(tree: ast.AST, owner: ast.ClassDef) -> frozenset[str]:
    """Return the names of a class's methods, including methods of its ancestors in the same file."""
    lineage = lineage_of(owner, each(tree, ast.ClassDef))
    return frozenset(n.name for one in lineage for n in one.body if isinstance(n, ast.FunctionDef))
