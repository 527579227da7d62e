"""Comments that silence findings.

``# noqa`` and ``# noqa: HYB101`` as in other linters; ``# hybridlint: ignore[tensor-shape]`` by code or readable name.
On any line of a statement, these are for all of its lines. ``ignore-class`` is for a class, ``ignore-file`` for a file,
and ``disable`` for the lines before ``enable``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hybridlint.runtime.facts.records import record
from hybridlint.text.comments import comments, logical_lines

if TYPE_CHECKING:
    from hybridlint.rule import Rule
    from hybridlint.text.source import SourceFile

_MARKER = re.compile(r"#\s*(?:noqa|hybridlint\s*:\s*(?:ignore|disable))", re.IGNORECASE)
#: A pattern that every comment for hybridlint matches.
OWN_COMMENT = re.compile(r"#\s*hybridlint\s*:|#\s*noqa\s*:[^#\n]*\bHYB\d", re.IGNORECASE)
_NOQA = re.compile(r"#\s*noqa(?![\w-])(?:\s*:(?P<codes>[^#]*))?", re.IGNORECASE)
_IGNORE = re.compile(
    r"#\s*hybridlint\s*:\s*(?P<kind>ignore-file|ignore-class|ignore|disable|enable)(?![\w-])\s*(?:\[(?P<codes>[^\]]*)\])?"
)
_SELECTOR = re.compile(r"[^,\s]+")
_CODE = re.compile(r"[A-Z]{3}\d*")
NOQA = "noqa"


@record(frozen=True, slots=True)
class Mark:
    """A silencing comment: its kind, its place, and the rules it names, each with its columns. None means all rules.

    Columns count from 0. `start` and `end` are those of the mark, from its ``#`` on. `alone` says that its line holds
    nothing before it.
    """

    kind: str
    row: int
    start: int
    end: int
    selectors: tuple[tuple[str, int, int], ...] | None
    alone: bool


@record(frozen=True, slots=True)
class Silence:
    """The rows where a comment silences a selector: a code, prefix or name, or all rules if None.

    `closed` is the comment that ends it, if any.
    """

    mark: Mark
    selector: str | None
    rows: range
    closed: Mark | None = None

    def covers(self, rule: Rule) -> bool:
        """Whether the comment silences a rule."""
        if self.selector is None or self.selector == "ALL":
            return True
        code = self.selector.upper()
        return rule.name == self.selector or (_CODE.fullmatch(code) is not None and rule.code.startswith(code))

    def reaches(self, rows: Iterable[int]) -> bool:
        """Whether one of the rows is silenced."""
        return any(row in self.rows for row in rows)


@record(frozen=True, slots=True)
class Suppressions:
    """All silencing comments of a file. No comment silences the rules that `protected` selects."""

    silences: tuple[Silence, ...] = ()
    protected: tuple[str, ...] = ()

    def cover(self, rule: Rule, *rows: int) -> bool:
        """Whether findings of a rule on one of these rows are silenced."""
        if not self.silences or self.protects(rule):
            return False
        return any(silence.covers(rule) and silence.reaches(rows) for silence in self.silences)

    def name(self, rule: Rule, row: int) -> bool:
        """Whether a comment that reaches a row silences a rule explicitly by its code or name."""
        if self.protects(rule):
            return False
        named = (silence for silence in self.silences if silence.selector is not None)
        return any(silence.covers(rule) and silence.reaches((row,)) for silence in named)

    def protects(self, rule: Rule) -> bool:
        """Whether no comment may silence a rule."""
        return any(rule.selected_by(selector) for selector in self.protected)


def suppressions(source: SourceFile, protected: tuple[str, ...] = ()) -> Suppressions:
    """Read the suppression comments of a file. A file without any is not tokenized."""
    if not _MARKER.search(source.text):
        return Suppressions()
    return Suppressions(tuple(_silences(source, marks_of(source))), protected)


def marks_of(source: SourceFile) -> list[Mark]:
    """Return the silencing comments of a file, and those that end a range, in order."""
    return [mark for row, comment in comments(source.text) for mark in _marks(source, row, comment)]


def _silences(source: SourceFile, marks: list[Mark]) -> Iterator[Silence]:
    # Few files have ranges or whole classes that are silenced.
    from hybridlint.project.settings import silenced_rows

    ends = [mark for mark in marks if mark.kind == "enable" and mark.alone]
    rows = len(source.line_starts)
    around = {row: line for line in logical_lines(source.text) for row in line} if marks else {}
    for mark in marks:
        if mark.kind == "enable" or (mark.kind == "disable" and not mark.alone):
            continue
        for selector in [None] if mark.selectors is None else [name for name, _, _ in mark.selectors]:
            if mark.kind == "disable":
                end = next((each for each in ends if each.row > mark.row and _ends(each, selector)), None)
                last = min(silenced_rows.end_of_block(source, mark.row), rows if end is None else end.row)
                yield Silence(mark, selector, range(mark.row, last + 1), end)
            elif mark.kind == "ignore-class":
                yield Silence(mark, selector, silenced_rows.of_class(source, mark.row) or range(0))
            elif mark.kind == "ignore-file":
                yield Silence(mark, selector, range(1, rows + 1))
            else:
                yield Silence(mark, selector, around.get(mark.row, range(mark.row, mark.row + 1)))


def _ends(mark: Mark, selector: str | None) -> bool:
    """Whether an ``enable`` comment ends the range that a selector began: it names the selector, or names none."""
    return mark.selectors is None or any(name == selector for name, _, _ in mark.selectors)


def _marks(source: SourceFile, row: int, comment: str) -> Iterator[Mark]:
    shift = source.line(row).rfind(comment)
    for match in filter(None, (_NOQA.search(comment), _IGNORE.search(comment))):
        kind = match.groupdict().get("kind") or NOQA
        start, end = match.span()
        codes = match["codes"]
        selectors = None if codes is None else tuple(_selectors(comment, match, shift))
        alone = not source.line(row)[: shift + start].strip()
        yield Mark(kind, row, shift + start, shift + end, selectors, alone)


def _selectors(comment: str, match: re.Match[str], shift: int) -> Iterator[tuple[str, int, int]]:
    for found in _SELECTOR.finditer(comment, *match.span("codes")):
        yield found[0], shift + found.start(), shift + found.end()
