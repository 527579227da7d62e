"""Counts in the code of a block: numbers, attributes that hold numbers, lengths of lists, turns of loops."""

from __future__ import annotations

import ast
from typing import Any

#: Functions that give all items of their argument.
_ALL_ITEMS = ("reversed", "list", "tuple", "enumerate", "sorted")


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


def whole(node: ast.expr) -> ast.expr:
    """Return the list whose items `reversed(items)`, `list(items)` and the like give."""
    while isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ALL_ITEMS and node.args:
        node = node.args[0]
    return node


def beside(block: Any, call: ast.Call, name: str) -> int | None:
    """Return the length of a list that `zip` pairs with other lists of the block; None if unknown."""
    more = [count for argument in call.args if (count := _left_out(argument, name)) is not None]
    lengths = (length(block, whole(argument)) for argument in call.args if _left_out(argument, name) is None)
    counts = [count for count in lengths if count is not None]
    return min(counts) + max(more) if more and counts else None


def _left_out(node: ast.expr, name: str) -> int | None:
    """Return how many items an expression leaves out of a list: 1 for `reversed(inputs[:-1])`, None if it is none."""
    node = whole(node)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.step is None:
        inner = _left_out(node.value, name)
        first, last = _literal(node.slice.lower, 0), _literal(node.slice.upper, 0)
        return None if inner is None or first is None or last is None else inner + max(first, 0) + max(-last, 0)
    return 0 if getattr(node, "id", "") == name else None


def _literal(node: ast.expr | None, default: int) -> int | None:
    try:
        value = default if node is None else ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def turns(block: Any, loop: ast.For | ast.comprehension) -> tuple[str, int | None] | None:
    """Return the counter of a loop over `range` or `enumerate`, and its number of turns, None if unknown.

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
