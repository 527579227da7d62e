"""The lines that two texts have in common, found in bounded time: many equal lines take `difflib` quadratic time.

This module also runs under Python 3.8, because a proof's process does.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: Pairs of equal lines up to which `difflib` compares all.
_MOST_PAIRS = 200_000


class MatchedBlock(NamedTuple):
    """`size` lines of one text from `old` on that are those of another from `new` on."""

    old: int
    new: int
    size: int


class ChangedLines(NamedTuple):
    """Lines `first` to `last` of a text and what takes their place in another: `kind` is as in `difflib`'s opcodes."""

    kind: str
    first: int
    last: int
    start: int
    end: int


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[ChangedLines]:
    """Return the changes that turn lines into other lines, in order, including equal runs."""
    found: list[ChangedLines] = []
    at = there = 0
    for block in (*_joined(matched_blocks(old, new)), MatchedBlock(len(old), len(new), 0)):
        if at < block.old or there < block.new:
            kind = "insert" if at == block.old else "delete" if there == block.new else "replace"
            found.append(ChangedLines(kind, at, block.old, there, block.new))
        at, there = block.old + block.size, block.new + block.size
        if block.size:
            found.append(ChangedLines("equal", block.old, at, block.new, there))
    return found


def matched_blocks(old: Sequence[str], new: Sequence[str]) -> list[MatchedBlock]:
    """Return the blocks of equal lines of two texts, in order."""
    found: list[MatchedBlock] = []
    pending = [(0, len(old), 0, len(new))]
    while pending:
        first, last, start, end = pending.pop()
        head = _common(old[first:last], new[start:end])
        found += [MatchedBlock(first, start, head)] if head else []
        first, start = first + head, start + head
        tail = _common(old[first:last][::-1], new[start:end][::-1])
        found += [MatchedBlock(last - tail, end - tail, tail)] if tail else []
        last, end = last - tail, end - tail
        if first < last and start < end:
            inner = old[first:last], new[start:end]
            if _pairs(*inner) <= _MOST_PAIRS:
                blocks = difflib.SequenceMatcher(None, *inner, autojunk=False).get_matching_blocks()
                found += [MatchedBlock(first + i, start + j, size) for i, j, size in blocks if size]
            else:
                pending += _between(list(_anchors(*inner)), first, last, start, end)
    return sorted(found)


def _joined(blocks: Sequence[MatchedBlock]) -> Iterator[MatchedBlock]:
    """Yield the blocks, with those that follow on one another in both texts as one."""
    held: MatchedBlock | None = None
    for block in blocks:
        if held is not None and (held.old + held.size, held.new + held.size) == (block.old, block.new):
            held = held._replace(size=held.size + block.size)
            continue
        if held is not None:
            yield held
        held = block
    if held is not None:
        yield held


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines two texts begin with together."""
    shorter = min(len(old), len(new))
    return next((k for k in range(shorter) if old[k] != new[k]), shorter)


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    counts = Counter(new)
    return sum(counts[line] for line in old)


def _anchors(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of lines that both texts have once, as many as come in the same order."""
    once, there = _places_of_single(old), _places_of_single(new)
    pairs = [(at, there[line]) for line, at in once.items() if line in there]
    # The longest increasing row of the second places, by patience.
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(ends, place)
        before.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [place]
        tops[pile : pile + 1] = [number]
    row: list[tuple[int, int]] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    yield from reversed(row)


def _places_of_single(lines: Sequence[str]) -> dict[str, int]:
    counts = Counter(lines)
    return {line: k for k, line in enumerate(lines) if counts[line] == 1}


def _between(
    anchors: Sequence[tuple[int, int]], first: int, last: int, start: int, end: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the passages from one anchor to the next, each with the anchor that it begins with; none without any."""
    places = [(first + at, start + place) for at, place in anchors]
    if not places:
        return
    yield first, places[0][0], start, places[0][1]
    for (at, there), (until, there_until) in zip(places, [*places[1:], (last, end)]):  # noqa: B905 - Python 3.8
        yield at, until, there, there_until
