"""Places: where an expression stands in its file, and which parentheses it has there or needs."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass

from hybridlint.analysis.events import Frame
from hybridlint.fixers.names import parent_of
from hybridlint.fixers.toolkit.parentheses import asked_of
from hybridlint.source import Span

_BEFORE = re.compile(r"([\w)\]}\"']?)\s*$")
_WORD = re.compile(r"(\w+)\s*$")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands.

    `asked` is how tightly it has to bind there, `parenthesized` the span of a pair of parentheses around it. `inside`
    tells that brackets are open around it, so that it may go on over several lines.
    """

    span: Span
    asked: int
    parenthesized: Span | None
    inside: bool


def place_of(frame: Frame, node: ast.expr) -> Place:
    """Return where an expression stands."""
    parent = parent_of(frame, node) or parent_of(frame, node, frame.source.tree)
    span = frame.source.span(node)
    pair = None if _shares_parentheses(node) else _pair_around(frame.source.text, span)
    return Place(span, asked_of(parent, node), pair, pair is not None or _is_inside(parent, node))


def indentation(frame: Frame, offset: int) -> str:
    """Return the blanks at the beginning of the line on which an offset is."""
    row, _ = frame.source.location(offset)
    line = frame.source.line(row)
    return line[: len(line) - len(line.lstrip())]


def _shares_parentheses(node: ast.expr) -> bool:
    """Whether the parentheses around a node are, or may be, its own."""
    return isinstance(node, ast.Tuple | ast.GeneratorExp)


def _pair_around(text: str, span: Span) -> Span | None:
    """Return the span of the parentheses around an expression that are not those of a call."""
    before = text[: span.start].rstrip()
    rest = text[span.end :]
    after = span.end + len(rest) - len(rest.lstrip())
    if not before.endswith("(") or text[after : after + 1] != ")":
        return None
    start = len(before) - 1
    word = _WORD.search(text, max(0, start - 40), start)
    if word is not None and not keyword.iskeyword(word.group(1)):
        return None
    if word is None and text[:start].rstrip()[-1:] in {")", "]", "}", '"', "'"}:
        return None
    return Span(start, after + 1)


def _is_inside(parent: ast.AST | None, node: ast.expr) -> bool:
    """Whether the parent has brackets around the node."""
    match parent:
        case ast.Call(func=function):
            return function is not node
        case ast.Subscript(value=value):
            return value is not node
        case ast.List() | ast.Set() | ast.Dict() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.keyword():
            return True
    return False
