"""The position of an expression in its file: its parentheses, and the precedence that it needs there."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.parentheses import required_level
from hybridlint.runtime.facts.records import record
from hybridlint.text.concrete import parentheses_around
from hybridlint.text.source import Span


@record(frozen=True, slots=True)
class ExpressionPlace:
    """The position of an expression in its file.

    `level` is the precedence level needed there, `parenthesized` the span of a pair of parentheses around the
    expression. `inside` says that brackets are open around it, so that it may span several lines.
    """

    span: Span
    level: int
    parenthesized: Span | None
    inside: bool


def place_of(frame: CodeContext, node: ast.expr) -> ExpressionPlace:
    """Return the position of an expression: its span, the parentheses around it, and how tightly its parent binds."""
    parent = parent_of(frame, node) or parent_of(frame, node, frame.source.tree)
    span = frame.source.span(node)
    pair = parentheses_around(frame.source, node)
    return ExpressionPlace(span, required_level(parent, node), pair, pair is not None or _is_inside(parent, node))


def indentation(frame: CodeContext, offset: int) -> str:
    """Return the indentation of the line that contains an offset."""
    row, _ = frame.source.location(offset)
    line = frame.source.line(row)
    return line[: len(line) - len(line.lstrip())]


def _is_inside(parent: ast.AST | None, node: ast.expr) -> bool:
    """Whether the parent node has brackets around the node."""
    match parent:
        case ast.Call(func=function):
            return function is not node
        case ast.Subscript(value=value):
            return value is not node
        case ast.List() | ast.Set() | ast.Dict() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.keyword():
            return True
    return False
