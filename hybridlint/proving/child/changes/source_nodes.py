"""Facts of single nodes of a source: the names that a statement assigns, and whether an expression is `self`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.While)
#: Methods that make the next call trace the block again, and the names of what has a function `cast` instead.
_TRACED_ANEW = frozenset(["_clear_cached_op", "cast", "hybridize"])
_NAMESPACES = frozenset(["F", "nd", "sym", "mx", "np", "npx"])


def assigned_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement assigns."""
    if isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
        yield node.target.id


def is_first(node: ast.AST, function: ast.AST) -> bool:
    """Whether an expression is the first argument of the function that it stands in."""
    arguments = function.args.args if isinstance(function, DEFINITIONS) else []
    return isinstance(node, ast.Name) and bool(arguments) and node.id == arguments[0].arg


def is_self(node: ast.AST, function: ast.AST) -> bool:
    """Whether an expression is the `self` of the method that it stands in."""
    return getattr(node, "id", "") == "self" and is_first(node, function)


def last_name(node: ast.expr) -> str:
    """Return the last name of an expression such as ``net.options``, "" for any other expression."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def traces(node: ast.AST) -> bool:
    """Whether a call inside some code makes the next call of a block trace again."""
    called = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    methods = (func for func in called if isinstance(func, ast.Attribute) and last_name(func.value) not in _NAMESPACES)
    return any(method.attr in _TRACED_ANEW for method in methods)
