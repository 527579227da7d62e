"""Comments that silence findings.

``# noqa`` and ``# noqa: HYB101`` as in other linters, ``# hybridlint: ignore[tensor-shape]`` by code or readable name,
and ``# hybridlint: ignore-file`` for a whole file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hybridlint.text.comments import comments
from hybridlint.text.syntax import children

if TYPE_CHECKING:
    from hybridlint.rule import Rule
    from hybridlint.text.source import SourceFile

_MARKER = re.compile(r"#\s*(?:noqa|hybridlint\s*:\s*ignore)", re.IGNORECASE)
#: A pattern that every comment for hybridlint matches.
OWN_COMMENT = re.compile(r"#\s*hybridlint\s*:|#\s*noqa\s*:[^#\n]*\bHYB\d", re.IGNORECASE)
_NOQA = re.compile(r"#\s*noqa(?![\w-])(?:\s*:(?P<codes>[^#]*))?", re.IGNORECASE)
_IGNORE = re.compile(r"#\s*hybridlint\s*:\s*ignore(?P<file>-file)?(?![\w-])\s*(?:\[(?P<codes>[^\]]*)\])?")
_SEPARATOR = re.compile(r"[,\s]+")


@dataclass(frozen=True, slots=True)
class Silence:
    """The rules silenced by one comment, as codes, code prefixes or names. `selectors` is None for all rules."""

    selectors: frozenset[str] | None

    def covers(self, rule: Rule) -> bool:
        """Whether the comment silences a rule."""
        if self.selectors is None:
            return True
        return rule.name in self.selectors or any(
            s.upper().startswith("HYB") and rule.code.startswith(s.upper()) for s in self.selectors
        )


@dataclass(frozen=True, slots=True)
class Suppressions:
    """All silencing comments of a file."""

    rows: Mapping[int, tuple[Silence, ...]] = field(default_factory=dict)
    whole_file: tuple[Silence, ...] = ()

    def cover(self, rule: Rule, *rows: int) -> bool:
        """Whether findings of a rule on one of these rows are silenced."""
        silences = (*self.whole_file, *(silence for row in rows for silence in self.rows.get(row, ())))
        return any(silence.covers(rule) for silence in silences)

    def name(self, rule: Rule, row: int) -> bool:
        """Whether a comment on a row, or for the whole file, silences a rule explicitly by its code or name."""
        silences = (*self.whole_file, *self.rows.get(row, ()))
        return any(silence.selectors is not None and silence.covers(rule) for silence in silences)


def suppressions(source: SourceFile) -> Suppressions:
    """Read the suppression comments of a file. A file without any is not tokenized."""
    if not _MARKER.search(source.text):
        return Suppressions()
    rows: dict[int, tuple[Silence, ...]] = {}
    whole_file: list[Silence] = []
    for row, comment in comments(source.text):
        for silence, everywhere in _read(comment):
            if everywhere:
                whole_file.append(silence)
            else:
                rows[row] = (*rows.get(row, ()), silence)
    return Suppressions(rows, tuple(whole_file))


def noqa_row(source: SourceFile, row: int) -> int:
    """Return the row whose end may hold a comment for this row: the last row of a string or continued line."""
    row = max(_ends_of_strings(source, row), default=row)
    while row < len(source.line_starts) and source.line(row).endswith("\\"):
        row += 1
    return row


def _read(comment: str) -> Iterator[tuple[Silence, bool]]:
    noqa = _NOQA.search(comment)
    if noqa:
        yield Silence(_selectors(noqa["codes"])), False
    ignore = _IGNORE.search(comment)
    if ignore:
        yield Silence(_selectors(ignore["codes"])), ignore["file"] is not None


def _selectors(codes: str | None) -> frozenset[str] | None:
    return None if codes is None else frozenset(filter(None, _SEPARATOR.split(codes)))


def _ends_of_strings(source: SourceFile, row: int) -> Iterator[int]:
    """Yield the last rows of the strings that begin on or before a row and continue after it."""
    if '"""' not in source.text and "'''" not in source.text:
        return
    nodes: list[ast.AST] = [source.tree]
    for node in nodes:
        # A node without a position, such as a function's arguments, may hold nodes that have one.
        inner = [n for n in children(node) if _spans(n, row) is not False]
        yield from (
            n.end_lineno or row for n in inner if isinstance(n, ast.Constant | ast.JoinedStr) and _spans(n, row)
        )
        nodes += inner


def _spans(node: ast.AST, row: int) -> bool | None:
    """Whether a node begins on or before a row and ends after it; None for nodes without a position."""
    start, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return None if start is None or end is None else start <= row < end
