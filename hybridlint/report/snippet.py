"""Source lines on a terminal: gutters with row numbers, and marks below what a finding is about."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from click import style

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic, SourceLocation

#: Rows of a finding that are shown, of those that span many.
LONGEST = 6
_TAB = "    "


def blue(text: str) -> str:
    """Return a text in the colour of gutters."""
    return style(text, fg="blue", bold=True)


def show_line(line: str) -> str:
    """Return a line of source with its tabs as blanks, so that marks below it are aligned."""
    return line.replace("\t", _TAB)


def end_row(diagnostic: Diagnostic) -> int:
    """Return the last row that a finding reaches into."""
    start, end = diagnostic.location, diagnostic.end_location
    return end.row - 1 if end.column == 1 and end.row > start.row else end.row


def underline(line: str, row: int, start: SourceLocation, end: SourceLocation) -> str:
    """Return the marks below one row of a finding that reaches from `start` to `end`."""
    indent = len(line) - len(line.lstrip())
    begin = start.column - 1 if row == start.row else indent
    stop = end.column - 1 if row == end.row else len(line)
    return " " * _columns(line[:begin]) + "^" * max(1, _columns(line[begin:stop]))


def _columns(text: str) -> int:
    """Return the width of a text on a terminal, in columns."""
    if text.isascii():
        return len(text) + text.count("\t") * (len(_TAB) - 1)
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if char == "\t":
        return len(_TAB)
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
