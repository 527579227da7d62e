"""Line endings: code is written with a newline, and edits get the endings that their lines have in the file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

from hybridlint.text.edits import Edit

_LINE_END = re.compile(r"\r\n|\r|\n")


def with_newlines(text: str) -> str:
    """Return a text whose lines all end in a newline."""
    return _LINE_END.sub("\n", text) if "\r" in text else text


def reader_of(text: str) -> io.StringIO:
    """Return a text as a stream for Python's tokenizer, which knows no line that ends in a carriage return alone."""
    return io.StringIO(text, newline=None)


def with_endings_of(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits with each new line ending as the line of the text in which its edit begins."""
    if "\r" not in text:
        return list(edits)
    return [Edit(e.span, with_newlines(e.content).replace("\n", _ending_at(text, e.span.start))) for e in edits]


def _ending_at(text: str, offset: int) -> str:
    """Return the ending of the line at an offset, or the last ending before it."""
    if offset and text[offset - 1 : offset + 1] == "\r\n":
        return "\r\n"
    found = _LINE_END.search(text, offset)
    if found is None:
        found = next(iter([*_LINE_END.finditer(text)][-1:]), None)
    return "\n" if found is None else found.group()
