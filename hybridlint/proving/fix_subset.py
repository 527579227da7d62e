"""The text of a file with some of its fixes left out, computed from the recorded edits without any analysis."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hybridlint.core.applied_fixes import FixId, OwnedEdit, Pass
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.source import Span


@record(frozen=True, slots=True)
class _Change:
    """A range where two texts differ: its span in the text with all fixes, and with fewer fixes."""

    full: Span
    less: Span


def without(text: str, passes: Sequence[Pass], left_out: Collection[FixId]) -> str:
    """Return a text after all passes, without the fixes in `left_out` and fixes that build on them."""
    changes: list[_Change] = []
    for done in passes:
        areas, kept = _separated(done, [change.full for change in changes], left_out)
        edits = [Edit(_moved(owned.edit.span, changes), owned.edit.content) for owned in kept]
        after = [_change_after(area, changes, done, edits) for area in areas]
        text = apply_edits(text, edits)
        changes = after
    return text


def _separated(done: Pass, changes: Iterable[Span], left_out: Collection[FixId]) -> tuple[list[Span], list[OwnedEdit]]:
    """Return the ranges that differ after a pass, and the edits that apply in both texts.

    A fix is left out with all of its edits if one of them touches a range that differs.
    """
    lost = {owned for owned in done if owned.owner in left_out}
    while True:
        areas = _merged([*changes, *(owned.edit.span for owned in lost)])
        touched = [owned for owned in done if owned not in lost and _touches(owned.edit.span, areas)]
        if not touched:
            return areas, [owned for owned in done if owned not in lost]
        owners = {owned.owner for owned in touched if owned.owner is not None}
        lost |= {*touched, *(owned for owned in done if owned.owner in owners)}


def _touches(span: Span, areas: Iterable[Span]) -> bool:
    return any(span.overlaps(area) for area in areas)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order of position, with overlapping spans merged."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.overlaps(merged[-1]):
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _moved(span: Span, changes: Iterable[_Change]) -> Span:
    """Return the place in the other text of a span of the text with all fixes.

    The span contains each change as a whole, or not at all.
    """
    before = [change for change in changes if change.full.end <= span.start and change.full.start < span.start]
    inside = [change for change in changes if span.start <= change.full.start and change.full.end <= span.end]
    start = span.start + _growth(before)
    return Span(start, start + _length(span) + _growth(inside))


def _growth(changes: Iterable[_Change]) -> int:
    return sum(_length(change.less) - _length(change.full) for change in changes)


def _change_after(area: Span, changes: Iterable[_Change], done: Pass, kept: Iterable[Edit]) -> _Change:
    """Return the range that differs after a pass, for one that its edits leave different."""
    return _Change(_grown(area, (owned.edit for owned in done)), _grown(_moved(area, changes), kept))


def _grown(area: Span, edits: Iterable[Edit]) -> Span:
    """Return a range after edits, each of which lies inside it or outside of it."""
    start, length = area.start, _length(area)
    for edit in edits:
        growth = len(edit.content) - _length(edit.span)
        if area.start <= edit.span.start and edit.span.end <= area.end:
            length += growth
        elif edit.span.end <= area.start:
            start += growth
    return Span(start, start + length)


def _length(span: Span) -> int:
    return span.end - span.start
