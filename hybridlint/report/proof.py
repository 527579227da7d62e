"""What the proof says, for people: a line a block, and below it what to know and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from click import style

from hybridlint.report.style import show_path
from hybridlint.verify.outcome import Outcome, Status

_COLOURS = {Status.PROVED: "green", Status.REFUTED: "red", Status.NOT_RUN: "yellow"}


def render(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes and how many there are of each kind; nothing where there are none."""
    if not outcomes:
        return ""
    lines = [line for outcome in outcomes for line in _lines(outcome)]
    return "\n".join([*lines, "", _counts(outcomes), ""])


def _lines(outcome: Outcome) -> Iterator[str]:
    status = style(outcome.status.value, fg=_COLOURS[outcome.status], bold=True)
    place = f"{show_path(outcome.path)}:{outcome.failed_row or outcome.row}"
    yield f"{status} {place} {style(outcome.block, bold=True)}: {outcome.reason}"
    if outcome.difference is not None and str(outcome.difference):
        yield f"  difference: {outcome.difference}"
    if outcome.status is Status.REFUTED and outcome.setup:
        yield f"  built: {outcome.setup}"
    if outcome.status is Status.REFUTED and outcome.call:
        yield f"  called: {outcome.call}"
    if outcome.add:
        yield f"  {style('help', fg='cyan', bold=True)}: {outcome.add}"


def _counts(outcomes: Sequence[Outcome]) -> str:
    counted = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{counted[status]} {status.value}" for status in Status) + "."
