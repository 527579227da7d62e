"""Counts in the code of a block: numbers, attributes that hold one, the lengths of what it stores, turns of loops."""

from __future__ import annotations

import ast
from typing import Any


def number(block: Any, node: ast.expr) -> int | None:
    """Return the value of an integer literal or attribute, or the length of an attribute; None if not known."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args:
        return length(block, node.args[0])
    value = node.value if isinstance(node, ast.Constant) else _attribute(block, node)
    return value if type(value) is int else None


def length(block: Any, node: ast.expr) -> int | None:
    """Return the length of what an attribute of the block holds; None if not known."""
    value = _attribute(block, node)
    try:
        return None if value is None else len(value)
    except TypeError:
        return None


def turns(block: Any, loop: ast.For | ast.comprehension) -> tuple[str, int | None] | None:
    """Return the counter of a loop over `range` or `enumerate`, and its number of turns, None if that is not known.

    None for another loop, which has no counter.
    """
    source, target = loop.iter, loop.target
    called = getattr(source.func, "id", "") if isinstance(source, ast.Call) else ""
    if not isinstance(source, ast.Call) or not source.args:
        return None
    if called == "range" and isinstance(target, ast.Name) and len(source.args) <= 2:
        return target.id, number(block, source.args[-1])
    if called == "enumerate" and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        return target.elts[0].id, length(block, source.args[0])
    return None


def _attribute(block: Any, node: ast.expr) -> Any:
    own = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
    return getattr(block, node.attr, None) if isinstance(node, ast.Attribute) and own else None
