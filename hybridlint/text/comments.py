"""Comments of a source text, and the check that edits keep them."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator

from hybridlint.text.edits import Edit, apply_edits


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield (row, text) for each comment of a source text, stopping at the first tokenizer error."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def lost_comment(text: str, edits: Iterable[Edit]) -> str | None:
    """Return the first comment that the edits would delete, or None if they keep all comments."""
    edits = list(edits)
    if not any("#" in text[edit.span.start : edit.span.end] or "#" in edit.content for edit in edits):
        return None
    left = Counter(comment for _, comment in comments(apply_edits(text, edits)))
    for _, comment in comments(text):
        left[comment] -= 1
        if left[comment] < 0:
            return comment
    return None
