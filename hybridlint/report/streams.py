"""The report of a check on its two streams, part by part in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hybridlint.report import formats
from hybridlint.report.summary import (
    diff_summary,
    dropped_fixes,
    failures,
    summary,
    unparsable,
    written_directives,
)

if TYPE_CHECKING:
    from hybridlint.proving.adding import Added
    from hybridlint.result import Result


@dataclass(frozen=True, slots=True)
class Manner:
    """How to report: the format, whether counts replace findings, and which fixes were applied or count as fixes."""

    output_format: str
    statistics: bool = False
    fixing: bool = False
    unsafe: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a report, and whether it belongs on standard error."""

    text: str
    aside: bool = False


def of_check(results: Sequence[Result], manner: Manner, added: Sequence[Added] | None = None) -> Iterator[Part]:
    """Yield the report of a check: findings, failures, outcomes of proofs, summary, and the directives in `added`."""
    for_programs = formats.load(manner.output_format).FOR_PROGRAMS
    yield Part(_findings(results, manner))
    yield Part("".join([*failures(results), *dropped_fixes(results, written=manner.fixing)]), aside=True)
    yield Part(_proofs(results), aside=for_programs)
    if not for_programs:
        yield Part(summary(results, fixing=manner.fixing, unsafe=manner.unsafe))
    if added is not None:
        yield Part("".join(written_directives(added)), aside=for_programs)


def of_diff(results: Sequence[Result], *, unsafe: bool) -> tuple[Part, Part]:
    """Return the diff of what fixing would change, and the notes about it."""
    from hybridlint.report import diff

    notes = [
        *failures(results),
        *unparsable(results),
        *dropped_fixes(results, written=False),
        _proofs(results),
        diff_summary(results, unsafe=unsafe),
    ]
    return Part(diff.render(results)), Part("".join(notes), aside=True)


def _proofs(results: Sequence[Result]) -> str:
    outcomes = [outcome for result in results for outcome in result.proof]
    if not outcomes:
        return ""
    from hybridlint.report import proof

    return proof.render(outcomes)


def _findings(results: Sequence[Result], manner: Manner) -> str:
    chosen = formats.load(manner.output_format)
    if not manner.statistics:
        return chosen.render(results, unsafe=manner.unsafe)
    from hybridlint.report import statistics

    show = statistics.render_json if chosen.FOR_PROGRAMS else statistics.render
    return show(results, unsafe=manner.unsafe)
