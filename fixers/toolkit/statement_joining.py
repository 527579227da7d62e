"""Ragged statements: a fix put brackets around code of several lines, or moved its first line away from the others.

Such a statement is joined to one line, which the layout then breaks anew.
"""

from __future__ import annotations

import ast
import itertools
import keyword
import tokenize
from collections.abc import Iterator, Sequence

from hybridlint.text.edits import Edit
from hybridlint.text.line_endings import reader_of
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
#: Tokens that hold no code.
_BETWEEN = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


def join_ragged(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits of `after` that join its ragged statements, each to one line; those with comments stay."""
    known = set(before.text.splitlines())
    edits = []
    for node in walk(after.tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and node.lineno != node.end_lineno:
            span = after.span(node)
            rows = [after.line(row) for row in range(node.lineno, (node.end_lineno or node.lineno) + 1)]
            if not all(row in known for row in rows):
                text = after.text[span.start : span.end]
                tokens = _tokens(text)
                column = span.start - after.line_starts[node.lineno - 1]
                if tokens and (_left_behind(rows, known) or _is_ragged(tokens, rows, column, known)):
                    edits.append(Edit(span, _joined(text, tokens)))
    return edits


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    """Return the tokens of a statement, none if it cannot be joined: comments and texts of several lines."""
    try:
        # Lines are alike to the tokenizer inside brackets alone.
        found = [*tokenize.generate_tokens(reader_of(f"({text}\n)").readline)][1:]
    except (tokenize.TokenError, SyntaxError):
        return []
    # The parts of a formatted text are tokens from Python 3.12 on, and may consist of spaces.
    kept = [one for one in found if one.type not in _BETWEEN][:-1]
    whole = all(one.start[0] == one.end[0] and one.type != tokenize.COMMENT for one in kept)
    return kept if whole else []


def _left_behind(rows: Sequence[str], known: set[str]) -> bool:
    """Whether a line behind a backslash is not indented more than the new first line."""
    behind = (row for last, row in itertools.pairwise(rows) if last.endswith("\\"))
    return rows[0] not in known and any(_indent(row) <= _indent(rows[0]) for row in behind)


def _is_ragged(tokens: Sequence[tokenize.TokenInfo], rows: Sequence[str], column: int, known: set[str]) -> bool:
    """Whether new brackets have code after the opening bracket, and the next line is not aligned with it."""
    return any(
        rows[first.start[0] - 1] not in known
        and rows[last.start[0] - 1] not in known
        and follower.start[0] == first.start[0]
        and _indent(rows[first.start[0]]) != follower.start[1] + (column - 1 if first.start[0] == 1 else 0)
        for first, follower, last in _brackets(tokens)
        if last.start[0] > first.start[0]
    )


def _brackets(
    tokens: Sequence[tokenize.TokenInfo],
) -> Iterator[tuple[tokenize.TokenInfo, tokenize.TokenInfo, tokenize.TokenInfo]]:
    """Yield pairs of brackets, the opening one with the token behind it."""
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.type == tokenize.OP and token.string in _OPENING:
            opened.append(index)
        elif token.type == tokenize.OP and token.string in _CLOSING and opened:
            first = opened.pop()
            yield tokens[first], tokens[first + 1], token


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _joined(text: str, tokens: Sequence[tokenize.TokenInfo]) -> str:
    """Return the code of a statement on one line, as it was within its lines."""
    # What the tokens of a formatted text hold is not what is written: `{{` is one brace.
    rows = f"({text}".splitlines()
    parts = []
    for left, right in itertools.pairwise(tokens):
        row, begin = left.start
        if row == right.start[0]:
            parts.append(rows[row - 1][begin : right.start[1]])
            continue
        trailing = left.string == "," and right.string in _CLOSING and not _is_single(tokens, left)
        apart = left.string not in _OPENING and right.string not in {*_CLOSING, ",", "."}
        written = rows[row - 1][begin:].removesuffix("\\").rstrip()
        parts.append(("" if trailing else written) + (" " if apart else ""))
    return "".join([*parts, tokens[-1].string])


def _is_single(tokens: Sequence[tokenize.TokenInfo], comma: tokenize.TokenInfo) -> bool:
    """Whether a trailing comma makes a tuple of one: the first comma in brackets other than a call's."""
    depth, at = 0, tokens.index(comma)
    for index in range(at - 1, -1, -1):
        token = tokens[index]
        depth += (token.string in _CLOSING) - (token.string in _OPENING)
        if depth < 0:
            return token.string != "(" or not _is_called(tokens[:index])
        if depth == 0 and token.string == ",":
            return False
    return True


def _is_called(before: Sequence[tokenize.TokenInfo]) -> bool:
    """Whether a parenthesis after these tokens begins the arguments of a call."""
    last = before[-1] if before else None
    return last is not None and (
        last.string in _CLOSING or (last.type == tokenize.NAME and not keyword.iskeyword(last.string))
    )
