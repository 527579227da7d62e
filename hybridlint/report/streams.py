"""The report of a check on its two streams, part by part in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from click import unstyle

from hybridlint.project.documents.places import place_results
from hybridlint.report import formats
from hybridlint.report.blocks import compiled_blocks
from hybridlint.report.coverage import coverage_gaps
from hybridlint.report.eager import kept_eager
from hybridlint.report.report_options import ReportOptions
from hybridlint.report.summary import (
    applied_fixes,
    diff_summary,
    dropped_fixes,
    failures,
    number_fixed,
    summary,
    unparsable,
    written_directives,
)
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.visible import visible

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.proving.directive_files import Added


@record(frozen=True, slots=True)
class StreamView:
    """What of a report a terminal shows.

    Its format, counts in place of findings (`statistics`), no summary (`quiet`), and the applied `fixes`.
    """

    output_format: str
    statistics: bool = False
    quiet: bool = False
    fixes: bool = False


@record(frozen=True, slots=True)
class StreamPart:
    """A part of a report, and whether it belongs on standard error."""

    text: str
    aside: bool = False


def of_check(
    results: Sequence[Result], view: StreamView, manner: ReportOptions, added: Sequence[Added] | None = None
) -> Iterator[StreamPart]:
    """Yield the report of a check: findings, failures, outcomes of proofs, summary, and the directives in `added`."""
    results = _visible(place_results(results))
    for_programs = formats.load(view.output_format).FOR_PROGRAMS
    yield StreamPart(_findings(results, view, manner))
    yield from of_failures(results)
    yield StreamPart("".join(dropped_fixes(results, written=manner.fixing)), aside=True)
    yield StreamPart("".join(kept_eager(results, written=manner.fixing)), aside=True)
    if view.fixes:
        yield StreamPart("".join(applied_fixes(results)), aside=for_programs)
    yield StreamPart(_proofs(results), aside=for_programs)
    if not for_programs and not view.quiet:
        yield StreamPart(summary(results, manner))
    elif not view.quiet:
        yield StreamPart(compiled_blocks(results, written=True), aside=True)
    if not view.quiet:
        yield StreamPart(coverage_gaps(results).sentence, aside=for_programs)
    if added is not None:
        yield StreamPart("".join(written_directives(added)), aside=for_programs)


def of_fixes(results: Sequence[Result], view: StreamView) -> Iterator[StreamPart]:
    """Yield the report of a run that only fixes: failures, dropped fixes, applied fixes, and their number."""
    results = _visible(results)
    yield from of_failures(results)
    yield StreamPart("".join(dropped_fixes(results, written=True)), aside=True)
    yield StreamPart("".join(kept_eager(results, written=True)), aside=True)
    for_programs = formats.load(view.output_format).FOR_PROGRAMS
    if view.fixes:
        yield StreamPart("".join(applied_fixes(results)), aside=for_programs)
    elif not view.quiet:
        yield StreamPart(number_fixed(results), aside=for_programs)


def of_failures(results: Sequence[Result]) -> Iterator[StreamPart]:
    """Yield the sentences about files that could not be checked."""
    yield StreamPart("".join(failures(results)), aside=True)


def for_file(results: Sequence[Result], output_format: str, manner: ReportOptions) -> str:
    """Return a report as a file holds it: findings and, for people, the summary, without colours."""
    results = _visible(place_results(results))
    chosen = formats.load(output_format)
    text = chosen.render(results, manner)
    if chosen.FOR_PROGRAMS:
        return text
    return unstyle(text + _proofs(results) + summary(results, manner))


def of_diff(results: Sequence[Result], *, unsafe: bool) -> tuple[StreamPart, StreamPart]:
    """Return the diff of what fixing would change, and the notes about it."""
    from hybridlint.report import diff

    results = place_results(results)
    notes = [
        *failures(results),
        *unparsable(results),
        *dropped_fixes(results, written=False),
        *kept_eager(results, written=False),
        _proofs(results),
        diff_summary(results, unsafe=unsafe),
    ]
    return StreamPart(diff.render(results)), StreamPart("".join(notes), aside=True)


def _visible(results: Sequence[Result]) -> list[Result]:
    """Return results for a report: characters of source and exceptions that command terminals are replaced in them."""
    return [_visible_one(result) if result.diagnostics or result.failure else result for result in results]


def _visible_one(result: Result) -> Result:
    found = tuple(
        replace(one, message=visible(one.message), help=None if one.help is None else visible(one.help))
        if visible(one.message + (one.help or "")) != one.message + (one.help or "")
        else one
        for one in result.diagnostics
    )
    failure = None if result.failure is None else visible(result.failure)
    # Carriage returns end lines, which reports show one by one.
    text = "\r".join(map(visible, result.text.split("\r")))
    return replace(result, text=text, diagnostics=found, failure=failure)


def _proofs(results: Sequence[Result]) -> str:
    outcomes = [outcome for result in results for outcome in result.proof]
    if not outcomes:
        return ""
    from hybridlint.report import proof

    return proof.render(outcomes)


def _findings(results: Sequence[Result], view: StreamView, manner: ReportOptions) -> str:
    chosen = formats.load(view.output_format)
    if not view.statistics:
        return chosen.render(results, manner)
    from hybridlint.report import statistics

    show = statistics.render_json if chosen.FOR_PROGRAMS else statistics.render
    return show(results, unsafe=manner.unsafe)
