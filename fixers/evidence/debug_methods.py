"""Methods for display only: public methods that no code of the file calls."""

from __future__ import annotations

import ast
from functools import lru_cache

from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.text.syntax import each, walk


@lru_cache(maxsize=4)
def shown_to_people(tree: ast.AST) -> frozenset[int]:
    """Return the nodes, by identity, of the methods and properties of a file that only show what objects hold.

    They set no attribute, unless to a constant, so that nothing which they read comes back to a block.
    """
    methods = [
        n for owner in each(tree, ast.ClassDef) for n in owner.body if isinstance(n, ast.FunctionDef) and _is_open(n)
    ]
    uses = [n for n in walk(tree) if _named(n) is not None] if methods else []
    shown: frozenset[int] = frozenset()
    while True:
        # What only such methods use is for people as well.
        others = {_named(n) for n in uses if id(n) not in shown}
        found = frozenset(id(node) for one in methods if one.name not in others for node in walk(one))
        if found == shown:
            return found
        shown = found


def _named(node: ast.AST) -> str | None:
    """Return the attribute that a node names, be it by a text; None for other nodes."""
    match node:
        case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
            return name
        case _:
            return None


def _is_open(method: ast.FunctionDef) -> bool:
    return not method.name.startswith("_") and method.name not in CALLED_BY_BLOCKS and not _changes(method)


def _changes(method: ast.FunctionDef) -> bool:
    """Return whether a method sets an attribute to anything but a constant, or changes one."""
    constant = {
        id(target)
        for node in each(method, ast.Assign)
        if isinstance(node.value, ast.Constant)
        for target in node.targets
    }
    return any(isinstance(n.ctx, ast.Store) and id(n) not in constant for n in each(method, ast.Attribute))
