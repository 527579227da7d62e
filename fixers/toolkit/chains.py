"""Chains of calls, ``x.reshape(...).transpose(...)``: their number of links, and their layout with a call a line."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.fixers.toolkit.brackets import line_break
from hybridlint.text import cst
from hybridlint.text.concrete import code


def links(node: cst.BaseExpression) -> int:
    """Return how often an expression reads an attribute of a call or of an item, ``.b`` of ``a(x).b``."""
    count, inner = 0, node
    while not inner.lpar:
        match inner:
            case cst.Call(func=before) | cst.Subscript(value=before):
                inner = before
            case cst.Attribute(value=before):
                count += _is_link(before)
                inner = before
            case _:
                break
    return count


def split_at_links(
    node: cst.BaseExpression, indent: str, limit: int, opened: Callable[[cst.Call], cst.BaseExpression]
) -> cst.BaseExpression:
    """Return a chain with a line break before each of its links.

    The brackets of a call that is longer than its line are `opened`.
    """
    if node.lpar:
        return node
    match node:
        case cst.Attribute(value=before):
            dot = node.dot.with_changes(whitespace_before=line_break(indent)) if _is_link(before) else node.dot
            return node.with_changes(value=split_at_links(before, indent, limit, opened), dot=dot)
        case cst.Subscript(value=before):
            return node.with_changes(value=split_at_links(before, indent, limit, opened))
        case cst.Call(func=before):
            fits = len(indent) + len(code(node)) - _behind(before) <= limit
            new = node if fits else opened(node)
            assert isinstance(new, cst.Call)
            return new.with_changes(func=split_at_links(before, indent, limit, opened))
    return node


def _is_link(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call | cst.Subscript) and not node.lpar


def _behind(called: cst.BaseExpression) -> int:
    """Return the length of the code before the line of a call."""
    match called:
        case cst.Attribute(value=before) if _is_link(before):
            return len(code(before))
    return 0
