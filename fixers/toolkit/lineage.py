"""The classes of a file by their bases: what a class inherits from, and what inherits from it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hybridlint.fixers.toolkit.names import dotted
from hybridlint.text.syntax import walk


def derives_from(node: ast.AST, name: str) -> bool:
    """Whether a node is a class with a base of this name."""
    return isinstance(node, ast.ClassDef) and any((dotted(base) or ("",))[-1] == name for base in node.bases)


def lineage_of(owner: ast.ClassDef, classes: Iterable[ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class, and those of the given ones that it inherits from, nearest first."""
    known, found = list(classes), [owner]
    for one in found:
        found += [base for base in known if derives_from(one, base.name) and base not in found]
    return found


def heirs_of(owner: ast.ClassDef, classes: Iterable[ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class, and those of the given ones that inherit from it, nearest first."""
    known, found = list(classes), [owner]
    for one in found:
        found += [other for other in known if derives_from(other, one.name) and other not in found]
    return found


def methods_of(tree: ast.AST, owner: ast.ClassDef) -> frozenset[str]:
    """Return the names of the methods of a class, its own and those of the classes above it in the same file."""
    classes = (n for n in walk(tree) if isinstance(n, ast.ClassDef))
    lineage = lineage_of(owner, classes)
    return frozenset(n.name for one in lineage for n in one.body if isinstance(n, ast.FunctionDef))
