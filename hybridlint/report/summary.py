"""The last lines of a report: the number of findings, fixes made and fixes available."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.blocks import compiled_blocks
from hybridlint.report.report_options import ReportOptions
from hybridlint.report.style import show_file, show_path
from hybridlint.rule import Severity, find_rule

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import Dropped
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.proving.directive_files import Added

#: The name of the rule for files that cannot be checked.
INVALID_SYNTAX = "invalid-syntax"

#: Line numbers that a sentence lists.
_SHOWN = 8

#: One and several findings of a severity in words, the most severe first.
_SEVERITIES = {
    Severity.ERROR.value: ("error", "errors"),
    Severity.WARNING.value: ("warning", "warnings"),
    Severity.INFO.value: ("note", "notes"),
    Severity.POSSIBLE.value: ("possible finding", "possible findings"),
}


def summary(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return the summary below the findings."""
    found = _found(results, manner)
    if not manner.known:
        return found
    more = "1 more finding is" if manner.known == 1 else f"{manner.known} more findings are"
    return f"{found}{more} in the baseline.\n"


def _found(results: Sequence[Result], manner: ReportOptions) -> str:
    diagnostics = [d for result in results for d in result.diagnostics]
    fixed, kept = count_fixed(results), _count_kept_eager(results)
    left = len(diagnostics)
    along, new = _besides(results)
    if not left and not fixed and not kept:
        return "" if any(result.failure for result in results) else "All checks passed!\n"
    offer = _offers(diagnostics, manner)
    if not manner.fixing:
        return f"Found {_by_severity(diagnostics)}.\n{offer}"
    parts = [f"{fixed} fixed", *([f"{along} gone with them"] if along else [])]
    parts += [f"{kept} in classes kept eager"] if kept else []
    parts += [f"{left} remaining"]
    parts += [f"{new} of these new"] if new else []
    # Of findings that are gone only the number is known, not how severe they were.
    found = f"Found {_findings(left + fixed + kept + along - new)} ({', '.join(parts)}).\n"
    return f"{found}{compiled_blocks(results, written=manner.written)}{_possible(results, 'Also fixed')}{offer}"


def diff_summary(results: Sequence[Result], *, unsafe: bool) -> str:
    """Return the summary below a diff."""
    fixed = count_fixed(results)
    hidden = 0 if unsafe else sum(d.hidden_fix for result in results for d in result.diagnostics)
    more = f" ({fixes(hidden, 'additional ' if fixed else '')} available with `--unsafe-fixes`)" if hidden else ""
    if fixed:
        blocks = compiled_blocks(results, written=False)
        return f"Would fix {_errors(fixed)}{_along(results)}{more}.\n{blocks}{_possible(results, 'Would also fix')}"
    return f"No errors would be fixed{more}.\n" if hidden else ""


def number_fixed(results: Sequence[Result]) -> str:
    """Return how many findings were fixed, as a sentence; "" for none."""
    number = count_fixed(results)
    if not number:
        return ""
    blocks = compiled_blocks(results, written=True)
    return f"Fixed {_errors(number)}{_along(results)}.\n{blocks}{_possible(results, 'Also fixed')}"


def applied_fixes(results: Sequence[Result]) -> Iterator[str]:
    """Yield the findings that were fixed, by file and rule."""
    for result in results:
        counts = Counter(result.fixed.repaired if result.fixed is not None else ())
        if not counts:
            continue
        yield f"Fixed {_errors(counts.total())}{_along([result])} in {style(show_file(result), bold=True)}:\n"
        for code, number in sorted(counts.items()):
            rule = find_rule(code)
            yield f"    {number} x {style(code, fg='red', bold=True)} ({rule.name if rule else code})\n"


def count_fixed(results: Sequence[Result]) -> int:
    """Count the fixed findings. They are exactly the findings that a report before fixing marks as fixable."""
    return sum(len(result.fixed.repaired) for result in results if result.fixed is not None)


def failures(results: Sequence[Result]) -> Iterator[str]:
    """Yield a sentence for each file that could not be checked."""
    for result in results:
        if result.failure:
            yield f"{style('error', fg='red', bold=True)}: {show_file(result)}: {result.failure}\n"


def unparsable(results: Sequence[Result]) -> Iterator[str]:
    """Yield a sentence for each file with a syntax error, for reports that show no findings."""
    for result in results:
        for found in result.diagnostics:
            if found.name == INVALID_SYNTAX:
                place = f"{show_file(result)}:{found.location.row}:{found.location.column}"
                yield f"{style('error', fg='red', bold=True)}: {place}: {found.message}\n"


def dropped_fixes(results: Sequence[Result], *, written: bool) -> Iterator[str]:
    """Yield a sentence for the fixes of a file that were not applied for one reason, and on which lines.

    `written` says that these are lines of the file as it is after the run.
    """
    for result in results:
        reasons: dict[str, list[Dropped]] = {}
        for drop in result.fixed.dropped if result.fixed is not None else ():
            reasons.setdefault(drop.reason, []).append(drop)
        for reason, drops in reasons.items():
            rows = sorted({drop.row if written else drop.row_before for drop in drops})
            codes = ", ".join(sorted({drop.code for drop in drops}))
            place = f"{show_file(result)}:{rows[0]}"
            alone = f"{codes} was not fixed"
            many = f"{len(drops)} findings were not fixed ({codes} on lines {_listed(rows)})"
            told = alone if len(drops) == 1 else many
            yield f"{style('warning', fg='yellow', bold=True)}: {place}: {told}: {reason}\n"


def _listed(rows: Sequence[int]) -> str:
    """Return line numbers in words, the first ones of many."""
    shown = [str(row) for row in rows[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


def written_directives(added: Sequence[Added]) -> Iterator[str]:
    """Yield a line for each directive that was written, and a sentence for each file that could not be."""
    number = sum(len(file.written) for file in added)
    if number:
        what = "1 directive, which" if number == 1 else f"{number} directives, each of which"
        yield f"\nWrote {what} was run as it stands:\n"
    for file in added:
        for written in file.written:
            first, *more = written.lines
            yield f"{show_path(file.path)}:{written.row}: {first}\n"
            yield from (f"    {line}\n" for line in more)
    for file in added:
        if file.failure is not None:
            warning = style("warning", fg="yellow", bold=True)
            yield f"{warning}: {show_path(file.path)}: no directive was written: {file.failure}\n"
    if added and not number:
        yield "\nWrote no directives: no proved block lacks one that can be written.\n"


def _count_kept_eager(results: Sequence[Result]) -> int:
    """Count the findings that are gone because a class stays eager."""
    return sum(result.fixed.kept_eager for result in results if result.fixed is not None)


def _offers(diagnostics: Sequence[Diagnostic], manner: ReportOptions) -> str:
    """Return the sentences on the options that would fix findings or keep their classes eager."""
    fixable = 0 if manner.fixing else sum(d.fixable(unsafe=manner.unsafe) for d in diagnostics)
    hidden = 0 if manner.unsafe else sum(d.hidden_fix for d in diagnostics)
    eager = 0 if manner.keep_eager else sum(d.may_stay_eager for d in diagnostics)
    return _offer(fixable, hidden) + _eager_offer(eager)


def _eager_offer(number: int) -> str:
    if not number:
        return ""
    classes = "its class" if number == 1 else "their classes"
    return f"No graph form is known for {_findings(number)}: `--keep-eager` would leave {classes} uncompiled.\n"


def _offer(fixable: int, hidden: int) -> str:
    mark = f"[{style('*', fg='cyan')}]"
    enable = f"{hidden} hidden fix{'es' if hidden != 1 else ''} can be enabled with the `--unsafe-fixes` option"
    if fixable:
        return f"{mark} {fixable} fixable with the `--fix` option" + (f" ({enable})" if hidden else "") + ".\n"
    return f"No fixes available ({enable}).\n" if hidden else ""


def _errors(number: int) -> str:
    return f"{number} error{'s' if number != 1 else ''}"


def _by_severity(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the number of findings of each severity, the most severe first: "3 errors, 2 warnings"."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    told = ((counts[severity], one, many) for severity, (one, many) in _SEVERITIES.items())
    return ", ".join(f"{number} {one if number == 1 else many}" for number, one, many in told if number)


def _findings(number: int) -> str:
    return f"{number} finding{'s' if number != 1 else ''}"


def fixes(number: int, kind: str = "") -> str:
    """Return a number of fixes in words."""
    return f"{number} {kind}fix{'es' if number != 1 else ''}"


def _besides(results: Sequence[Result]) -> tuple[int, int]:
    """Return how many findings without a fix are gone with fixed ones, and how many are new."""
    fixed = [result.fixed for result in results if result.fixed is not None]
    return sum(one.along for one in fixed), sum(one.new for one in fixed)


def _along(results: Sequence[Result]) -> str:
    """Return the words on findings that are gone with those that were fixed; "" if there are none."""
    along, _ = _besides(results)
    return f" (and {along} gone with {'it' if count_fixed(results) == 1 else 'them'})" if along else ""


def _possible(results: Sequence[Result], verb: str) -> str:
    """Return a sentence on fixes of possible findings, which no report shows without `--possible`; "" for none."""
    number = sum(fix.possible for result in results if result.fixed is not None for fix in result.fixed.applied)
    found = _SEVERITIES[Severity.POSSIBLE.value][number != 1]
    return f"{verb} {number} {found} in what is repaired: shapes decide whether it matters.\n" if number else ""
