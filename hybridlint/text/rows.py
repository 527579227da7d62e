"""Row mapping between two versions of a text, for findings made in one version and shown in the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hybridlint.text.matching import line_changes

#: A function from a row (from 1) of one text to the matching row of another.
RowMap = Callable[[int], int]


def rows_between(text: str, other: str) -> RowMap:
    """Return a function that maps rows of `text` to rows of `other`. A changed row maps to the row that replaced it."""
    if text == other:
        return lambda row: row
    blocks = _opcodes(text, other)

    def mapped(row: int) -> int:
        at = row - 1
        for first, last, start, end in blocks:
            if first <= at < last:
                return min(start + at - first, max(end - 1, start)) + 1
        return row

    return mapped


@lru_cache(maxsize=8)
def _opcodes(text: str, other: str) -> tuple[tuple[int, int, int, int], ...]:
    found = line_changes(text.splitlines(), other.splitlines())
    return tuple((change.first, change.last, change.start, change.end) for change in found)


def stays(text: str, other: str, row: int) -> bool:
    """Whether a row of `text` also exists, unchanged, in `other`."""
    lines, others = text.splitlines(), other.splitlines()
    there = rows_between(text, other)(row)
    return 0 < row <= len(lines) and 0 < there <= len(others) and lines[row - 1] == others[there - 1]
