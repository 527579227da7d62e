"""Comments of code that a rewrite drops: they are put beside the replacement."""

from __future__ import annotations

import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.fixers.toolkit.brackets import held_items, open_brackets
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.concrete import origin
from hybridlint.text.line_endings import reader_of
from hybridlint.text.source import Span

if TYPE_CHECKING:
    from hybridlint.fixers.toolkit.brackets import Item


@record(frozen=True, slots=True)
class Comment:
    """A comment of a text: its offset in the text and its spelling."""

    start: int
    text: str


def comments_in(text: str) -> list[Comment]:
    """Return the comments of a part of a file that starts and ends between tokens."""
    if "#" not in text:
        return []
    part = f"({text}\n"  # the parenthesis makes the tokenizer ignore indentation
    starts = [-1]
    for line in part.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return list(_read(part, starts))


def _read(part: str, starts: Sequence[int]) -> Iterator[Comment]:
    try:
        for token in tokenize.generate_tokens(reader_of(part).readline):
            if token.type == tokenize.COMMENT:
                yield Comment(starts[token.start[0] - 1] + token.start[1], token.string)
    except (tokenize.TokenError, SyntaxError):
        return


def dropped_comments(before: str, after: str) -> list[Comment]:
    """Return the comments of `before`, a text, that `after`, its replacement, lacks."""
    left = Counter(comment.text for comment in comments_in(after))
    found: list[Comment] = []
    for comment in comments_in(before):
        left[comment.text] -= 1
        if left[comment.text] < 0:
            found.append(comment)
    return found


def carry_comments(node: cst.BaseExpression, comments: Sequence[Comment], indent: str) -> cst.BaseExpression:
    """Return an expression with comments added, each after the item that it followed in the file.

    A comment that followed none is put at the beginning. `comments` and the items have offsets in the same file.
    `indent` is the indentation of the line on which the expression begins.
    """
    match node:
        case cst.Call(args=given, func=cst.Attribute(value=inner) as method) if held_items(inner) and _is_new(given):
            return node.with_changes(func=method.with_changes(value=carry_comments(inner, comments, indent)))
    items, whole = held_items(node), origin(node)
    at_start: list[str] = []
    after: dict[int, list[str]] = {}
    for comment in comments:
        ends = [(end, index) for index, item in enumerate(items) if (end := _last_end(item, comment.start)) is not None]
        if ends:
            after.setdefault(max(ends)[1], []).append(comment.text)
        elif items and whole is not None and whole.end <= comment.start:
            after.setdefault(len(items) - 1, []).append(comment.text)
        else:
            at_start.append(comment.text)
    return open_brackets(node, indent, at_start, after, one_line=not after)


def _last_end(item: Item, offset: int) -> int | None:
    """Return the largest end, up to `offset`, of the parts of an item that come from the file; or None."""
    ends = [span.end for span in origins(item) if span.end <= offset]
    return max(ends, default=None)


def _is_new(items: Sequence[Item]) -> bool:
    """Whether no item in the brackets of a call comes from the file."""
    return next((span for item in items for span in origins(item)), None) is None


def origins(node: cst.CSTNode) -> Iterator[Span]:
    """Yield the spans of a node's parts in the file from which they come."""
    span = origin(node) if isinstance(node, cst.BaseExpression) else None
    if span is not None:
        yield span
        return
    for child in node.children:
        yield from origins(child)
