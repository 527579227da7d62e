"""Comparison of the recorded operator calls of two runs: the first call whose result differs."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hybridlint.proving.child.runs.recording import RecordedStep
from hybridlint.proving.child.runs.results import ResultDifference, leaf_difference
from hybridlint.text.matching import line_changes


class OperatorDivergence(NamedTuple):
    """The first operator call (`step`) whose result differs between two runs.

    It is a call of the second run, unless only the first run reaches its line. `message` says how the results differ;
    `agreed` counts the calls before it with equal results.
    """

    step: RecordedStep
    message: str
    agreed: int

    def to_json(self) -> dict[str, Any]:
        """Return the place as JSON data."""
        step = self.step
        return {
            "row": step.row,
            "operator": step.operator,
            "code": step.code,
            "message": self.message,
            "agreed": self.agreed,
        }


class Visit(NamedTuple):
    """Consecutive operator calls from one line, or from lines that a fix changed together; `label` identifies these."""

    label: Any
    steps: list[RecordedStep]


def line_labels(before: str, after: str) -> tuple[Mapping[int, Any], Mapping[int, Any]]:
    """Return a label for each row of two texts; rows that correspond to each other have the same label.

    All lines of a changed passage share a label, unless the passage keeps its number of lines.
    """
    old, new = before.splitlines(), after.splitlines()
    left: dict[int, Any] = {}
    right: dict[int, Any] = {}
    for number, (kind, a, b, c, d) in enumerate(line_changes(old, new)):
        for k in range(max(b - a, d - c)):
            label = a + k + 1 if kind == "equal" else ("changed", number, k if b - a == d - c else 0)
            if k < b - a:
                left[a + k + 1] = label
            if k < d - c:
                right[c + k + 1] = label
    return left, right


def first_parting(
    expected: Sequence[RecordedStep],
    found: Sequence[RecordedStep],
    labels: tuple[Mapping[int, Any], Mapping[int, Any]] | None = None,
) -> OperatorDivergence | None:
    """Return the first call of the second run whose result differs from the first run's, None if all agree.

    `labels` map the rows of two different texts to each other.
    """
    left, right = labels or ({}, {})
    old, new = _visits(expected, left), _visits(found, right)
    matcher = difflib.SequenceMatcher(None, [v.label for v in old], [v.label for v in new], autojunk=False)
    agreed = 0
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            # A line that only one run reaches is the place of the difference only if a later result differs.
            stray = _stray(old[a:b], new[c:d])
            rest = _first_of(old[b:], new[d:])
            if stray is not None and (rest is not None or not (old[b:] or new[d:])):
                return stray._replace(agreed=agreed)
            continue
        for k in range(b - a):
            parting = _compare(old[a + k], new[c + k])
            if parting is not None:
                return parting._replace(agreed=agreed + parting.agreed)
            agreed += len(new[c + k].steps)
    return None


def first_change(
    found: Sequence[RecordedStep], labels: tuple[Mapping[int, Any], Mapping[int, Any]]
) -> RecordedStep | None:
    """Return the first call of the second run from a changed line, None if there is none."""
    return next((step for step in found if isinstance(labels[1].get(step.row), tuple)), None)


def _first_of(old: Sequence[Visit], new: Sequence[Visit]) -> OperatorDivergence | None:
    """Return the first difference between visits of the same lines, None if these agree."""
    pairs = ((old[k], new[k]) for k in range(min(len(old), len(new))) if old[k].label == new[k].label)
    return next((parting for left, right in pairs if (parting := _compare(left, right)) is not None), None)


def _visits(steps: Sequence[RecordedStep], labels: Mapping[int, Any]) -> list[Visit]:
    visits: list[Visit] = []
    for step in steps:
        label = labels.get(step.row, step.row)
        if not visits or visits[-1].label != label:
            visits.append(Visit(label, []))
        visits[-1].steps.append(step)
    return visits


def _stray(old: Sequence[Visit], new: Sequence[Visit]) -> OperatorDivergence | None:
    if new:
        step = new[0].steps[0]
        instead = f"; the other run goes to line {old[0].steps[0].row}" if old else ""
        return OperatorDivergence(step, f"only this run reaches the line{instead}", 0)
    if old:
        step = old[0].steps[0]
        return OperatorDivergence(step, "this run never reaches the line", 0)
    return None


def _compare(old: Visit, new: Visit) -> OperatorDivergence | None:
    """Return the call where two visits of the same lines differ, None if the last result of each is equal."""
    last = _steps_difference(old.steps[-1], new.steps[-1])
    if last is None:
        return None
    if len(old.steps) == len(new.steps):
        for k, step in enumerate(new.steps):
            difference = _steps_difference(old.steps[k], step)
            if difference is not None:
                return _parting(step, difference, k)
    # The calls differ: report the first result that the other run has nowhere, or else the last call.
    for k, step in enumerate(new.steps):
        if all(_steps_difference(other, step) is not None for other in old.steps):
            return _parting(step, last, k)
    return _parting(new.steps[-1], last, len(new.steps) - 1)


def _parting(step: RecordedStep, difference: ResultDifference, agreed: int) -> OperatorDivergence:
    return OperatorDivergence(step, f"its result {difference.message}", agreed)


def _steps_difference(expected: RecordedStep, found: RecordedStep) -> ResultDifference | None:
    if len(expected.values) != len(found.values):
        return ResultDifference("result", f"has {len(found.values)} parts instead of {len(expected.values)}")
    for k, value in enumerate(expected.values):
        difference = leaf_difference("result", value, found.values[k])
        if difference is not None:
            return difference
    return None
