"""The removal of silencing comments, or of some rules that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hybridlint.project.settings.suppress import NOQA, Mark
from hybridlint.rule import matching
from hybridlint.text.comments import comments
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import Span

if TYPE_CHECKING:
    from hybridlint.text.source import SourceFile

_CODES = re.compile(r"[A-Za-z]+[0-9]+")


def removal(edits: Sequence[Edit], source: SourceFile, marks: Iterable[Mark]) -> Fix:
    """Return the fix of edits made by `without` in these comments."""
    return Fix("Take it out", tuple(edits), Applicability.SAFE, rewrites=tuple(comment_of(source, m) for m in marks))


def without(source: SourceFile, mark: Mark, gone: set[str] | None) -> Edit:
    """Return the edit that takes selectors out of a comment, and all of it if none is left. None means all."""
    line, start = source.line(mark.row), source.line_starts[mark.row - 1]
    listed = mark.selectors or ()
    if gone is None or all(name in gone for name in _codes(mark)):
        first, last = _with_blanks(line, mark, tail_of(line, mark))
        if not line[:first].strip() and not line[last:].strip():
            # The comment has a line of its own.
            end = source.line_starts[mark.row] if mark.row < len(source.line_starts) else len(source.text)
            return Edit(Span(start, end), "")
        return Edit(Span(start + first, start + last), _joint(line, first, last))
    codes = _codes(mark)
    begin, end = listed[0][1], listed[len(codes) - 1][2]
    return Edit(Span(start + begin, start + end), ", ".join(name for name in codes if name not in gone))


def _codes(mark: Mark) -> list[str]:
    """Return the selectors that a comment lists, without the reason that may follow those of a ``noqa``."""
    names = [name for name, _, _ in mark.selectors or ()]
    if mark.kind != NOQA:
        return names
    count = next((k for k, name in enumerate(names) if not _CODES.fullmatch(name) and not any(matching(name))), None)
    return names[:count]


def tail_of(line: str, mark: Mark) -> int:
    """Return the column where a comment's own part ends: before the reason that follows the codes of a ``noqa``."""
    if mark.kind != NOQA or not mark.selectors:
        return mark.end
    return mark.selectors[len(_codes(mark)) - 1][2]


def _with_blanks(line: str, mark: Mark, end: int) -> tuple[int, int]:
    """Return the columns of a comment with the blanks around it that go with it."""
    start, rest = mark.start, line[end:]
    blanks = len(rest) - len(rest.lstrip())
    if rest.strip():
        return start, end + blanks
    return len(line[:start].rstrip()) if line[:start].strip() else 0, len(line)


def _joint(line: str, first: int, last: int) -> str:
    """Return the text between the parts of a line after a comment is removed."""
    rest = line[last:]
    return "# " if rest and not rest.startswith("#") else ""


def comment_of(source: SourceFile, mark: Mark) -> str:
    """Return the whole comment that contains a mark."""
    line = source.line(mark.row)
    return next(text for row, text in comments(source.text) if row == mark.row and line.rfind(text) <= mark.start)
