"""Findings in functions that hybrid code of another file calls: they are reported where they happen.

The check of a file reports such a finding at its call, as it knows no file but its own. Where the file of the function
is checked too, the finding is that file's: there it is repaired, silenced and counted, once for all its callers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from hybridlint.core.diagnostic import CalleePlace, Diagnostic
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.runtime.facts.records import replace
from hybridlint.text.source import SourceError, SourceFile

#: Severities, the gravest first.
_SEVERITIES = ("error", "warning", "info", "possible")


def move_to_callees(
    results: Sequence[Result], callers: Sequence[Result], config: Callable[[Path], Config]
) -> list[Result]:
    """Return results with the findings in their functions, as the results themselves and those of `callers` tell.

    A finding in a file that has no result here stays at its call. So does one in a file that was fixed, whose lines may
    have moved. `config` returns the settings for a folder.
    """
    told = [diagnostic for result in (*results, *callers) for diagnostic in result.diagnostics if diagnostic.callee]
    if not told:
        return list(results)
    by_path = {os.path.realpath(result.path): result for result in results if _takes_findings(result)}
    moved: dict[str, list[Diagnostic]] = {}
    for diagnostic in told:
        callee = diagnostic.callee
        if callee is not None and callee.filename in by_path:
            moved.setdefault(callee.filename, []).append(_in_callee(diagnostic, callee))
    return [_with(_without(result, by_path), moved, config) for result in results]


def _takes_findings(result: Result) -> bool:
    return result.failure is None and (result.fixed is None or not result.fixed.changed)


def _without(result: Result, by_path: dict[str, Result]) -> Result:
    """Return a result without the findings that are reported in other files."""
    kept = tuple(one for one in result.diagnostics if one.callee is None or one.callee.filename not in by_path)
    return result if len(kept) == len(result.diagnostics) else replace(result, diagnostics=kept)


def _with(result: Result, moved: dict[str, list[Diagnostic]], config: Callable[[Path], Config]) -> Result:
    """Return a result with the findings that callers tell, as far as its settings select their rules."""
    ours = moved.get(os.path.realpath(result.path), []) if _takes_findings(result) else []
    if not ours:
        return result
    from hybridlint.project.settings.selection import rules_for

    codes = {rule.code for rule in rules_for(config(result.path.parent), result.path)}
    by_place = {(one.code, one.location, one.end_location): one for one in result.diagnostics}
    for one in sorted(ours, key=lambda one: _SEVERITIES.index(one.severity)):
        if one.code in codes:
            by_place.setdefault((one.code, one.location, one.end_location), one)
    text = result.text
    if not text:
        with suppress(OSError, SourceError):
            text = SourceFile.read(result.path).text
    diagnostics = tuple(sorted(by_place.values(), key=lambda one: (one.location, one.code)))
    return replace(result, diagnostics=diagnostics, text=text)


def _in_callee(diagnostic: Diagnostic, callee: CalleePlace) -> Diagnostic:
    return replace(
        diagnostic,
        message=callee.message,
        location=callee.location,
        end_location=callee.end_location,
        noqa_row=callee.noqa_row,
        notes=callee.notes,
        callee=None,
    )
