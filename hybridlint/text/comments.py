"""Comments of a source text, and the check that edits keep them."""

from __future__ import annotations

import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.line_endings import reader_of

#: Tokens between logical lines.
_BETWEEN = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield (row, text) for each comment of a source text, stopping at the first tokenizer error."""
    try:
        for token in tokenize.generate_tokens(reader_of(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def logical_lines(text: str) -> Iterator[range]:
    """Yield the rows of each simple statement, and of each head of a compound one, that spans several rows."""
    first: int | None = None
    try:
        for token in tokenize.generate_tokens(reader_of(text).readline):
            if token.type == tokenize.NEWLINE:
                if first is not None and token.start[0] > first:
                    yield range(first, token.start[0] + 1)
                first = None
            elif first is None and token.type not in _BETWEEN:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return


@lru_cache(maxsize=1)
def _comments_before(text: str) -> tuple[str, ...]:
    """Return the comments of a text; the last text's are kept, into which many edits are tried."""
    return tuple(comment for _, comment in comments(text))


def lost_comment(text: str, edits: Iterable[Edit], rewritten: Iterable[str] = ()) -> str | None:
    """Return the first comment that the edits would delete, except those in `rewritten`; None if they keep all."""
    edits = list(edits)
    if all(_leaves_comments(text, edit) for edit in edits):
        return None
    left = Counter([*(comment for _, comment in comments(apply_edits(text, edits))), *rewritten])
    for comment in _comments_before(text):
        left[comment] -= 1
        if left[comment] < 0:
            return comment
    return None


def _leaves_comments(text: str, edit: Edit) -> bool:
    """Return whether an edit plainly deletes no comment, and none of its own reaches into what follows."""
    start, end = edit.span.start, edit.span.end
    own = "#" in edit.content and not edit.content.endswith("\n") and text[end : end + 1] not in {"", "\n", "\r"}
    return "#" not in text[start:end] and not own
