"""The changes of a fix as patch lines, computed from the changed lines only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.matching import line_changes
from hybridlint.text.source import Span

if TYPE_CHECKING:
    from hybridlint.text.source import SourceFile

_CONTEXT = 1
_LINE_END = re.compile(r"\r\n|\r|\n")


@record(frozen=True, slots=True)
class PatchLine:
    """A line of a patch. `mark` is ``-``, ``+`` or a blank. `number` is a row of the old file, for ``+`` of the new."""

    mark: str
    number: int
    text: str


def patch(edits: tuple[Edit, ...], source: SourceFile) -> Iterator[PatchLine]:
    """Yield the lines that edits change, with one line of context."""
    shift = 0
    for cluster in _clusters(edits, source):
        first = max(1, source.location(cluster[0].span.start)[0] - _CONTEXT)
        last = min(len(source.line_starts), source.location(max(e.span.end for e in cluster))[0] + _CONTEXT)
        block = Span(source.line_starts[first - 1], _line_end(source, last))
        moved = [Edit(Span(e.span.start - block.start, e.span.end - block.start), e.content) for e in cluster]
        old = source.text[block.start : block.end]
        before, after = _lines(old), _lines(apply_edits(old, moved))
        yield from _compare(before, after, first, first + shift)
        shift += len(after) - len(before)


def _clusters(edits: tuple[Edit, ...], source: SourceFile) -> Iterator[list[Edit]]:
    """Group edits whose lines, with their context, touch each other."""
    group: list[Edit] = []
    end = 0
    for edit in sorted(edits):
        row = source.location(edit.span.start)[0]
        if group and row > end + 2 * _CONTEXT:
            yield group
            group = []
        group.append(edit)
        end = max(end, source.location(edit.span.end)[0])
    if group:
        yield group


def _compare(old: list[str], new: list[str], old_row: int, new_row: int) -> Iterator[PatchLine]:
    for kind, i, j, k, m in line_changes(old, new):
        if kind == "equal":
            yield from (PatchLine(" ", old_row + n, old[n]) for n in range(i, j))
            continue
        yield from (PatchLine("-", old_row + n, old[n]) for n in range(i, j))
        yield from (PatchLine("+", new_row + n, new[n]) for n in range(k, m))


def _line_end(source: SourceFile, row: int) -> int:
    return source.line_starts[row] if row < len(source.line_starts) else len(source.text)


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    return lines[:-1] if not lines[-1] else lines
