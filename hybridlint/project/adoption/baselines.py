"""The baselines of a run, which may check several projects: each has its own, in the folder of its settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.project.adoption.baseline import FILE_NAME, Baseline, Entry, compare
from hybridlint.runtime.facts.records import record, replace

if TYPE_CHECKING:
    from hybridlint.core.result import Result


@record(frozen=True, slots=True)
class BaselineMatch:
    """The findings of a run that the baselines contain: their number, and the stale entries by file."""

    count: int
    stale: Mapping[Path, Counter[Entry]]


def without_known(results: Sequence[Result], roots: Sequence[Path]) -> tuple[list[Result], BaselineMatch]:
    """Leave the findings out that the baseline of each result's project holds. Raises UsageError."""
    new, count, stale = list(results), 0, {}
    for baseline, places in _by_baseline(roots):
        if not baseline.entries:
            continue
        compared = compare([results[place] for place in places], baseline)
        for place, result in zip(places, compared.results, strict=True):
            new[place] = result
        count += compared.known
        if compared.stale:
            stale[baseline.path] = compared.stale
    return new, BaselineMatch(count, stale)


def write(results: Sequence[Result], roots: Sequence[Path]) -> list[Baseline]:
    """Write all findings into baselines, which are returned. Entries of other files stay. Raises UsageError."""
    written = []
    for before, places in _by_baseline(roots):
        checked = [results[place] for place in places]
        # What is stale goes, what is found comes, and what was not checked stays.
        compared = compare(checked, before)
        kept = before.entries - compared.stale
        new = Baseline.of(before.path, compared.results)
        baseline = replace(before, entries=kept + new.entries)
        if baseline.entries or before.entries:
            baseline.write()
        written.append(baseline)
    return written


def prune(known: BaselineMatch) -> int:
    """Remove stale entries from the baselines, and return how many were removed. Raises UsageError."""
    for path, stale in known.stale.items():
        baseline = Baseline.read(path)
        replace(baseline, entries=baseline.entries - stale).write()
    return sum(stale.total() for stale in known.stale.values())


def _by_baseline(roots: Sequence[Path]) -> list[tuple[Baseline, list[int]]]:
    places: dict[Path, list[int]] = {}
    for place, root in enumerate(roots):
        places.setdefault(root, []).append(place)
    return [(Baseline.read(root / FILE_NAME), numbers) for root, numbers in places.items()]
