"""Methods that only show people what an object holds: public ones that no code of the file calls."""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache

from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.text.syntax import each, walk


@lru_cache(maxsize=4)
def shown_to_people(tree: ast.AST) -> frozenset[int]:
    """Return the nodes, by identity, of the methods and properties of a file that only show what objects hold.

    They set no attribute, unless to a constant, so that nothing which they read comes back to a block.
    """
    named = Counter(n.attr for n in walk(tree) if isinstance(n, ast.Attribute))
    named += Counter(n.value for n in walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    methods = (n for owner in each(tree, ast.ClassDef) for n in owner.body if isinstance(n, ast.FunctionDef))
    return frozenset(
        id(node) for method in methods if _is_open(method) and not named[method.name] for node in walk(method)
    )


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
