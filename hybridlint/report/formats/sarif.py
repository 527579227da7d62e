"""SARIF 2.1.0, which GitHub's code scanning, Azure DevOps and editors read: rules, findings, fixes, fingerprints.

The standard: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import hybridlint
from hybridlint.core.fingerprint import fingerprints
from hybridlint.report.rule_page import fence_examples
from hybridlint.report.style import show_file, uri_path
from hybridlint.rule import HOME_URL, Rule, find_rule
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic, Note, Replacement, SourceLocation
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note", "possible": "note"}
#: The name under which paths below the current folder are relative to it.
_ROOT = "%SRCROOT%"
_FINGERPRINT = "hybridlint/v1"
#: How many lines above and below a finding are shown with it.
_CONTEXT = 1


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return the log of one run."""
    codes = sorted({found.code for result in results for found in result.diagnostics})
    run = {
        "tool": {"driver": _driver(codes)},
        "invocations": [_invocation(results)],
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": [item for result in results for item in _results(result, codes)],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver(codes: Sequence[str]) -> dict[str, Any]:
    return {
        "name": "hybridlint",
        "version": hybridlint.__version__,
        "informationUri": HOME_URL,
        "rules": [_rule(rule) for code in codes if (rule := find_rule(code)) is not None],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.page.partition("\n\n")[0]},
        "help": {"text": rule.page, "markdown": fence_examples(rule.page)},
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[rule.severity.value], "enabled": rule.default},
        "properties": {"tags": ["mxnet", "hybridize"]},
    }


def _invocation(results: Sequence[Result]) -> dict[str, Any]:
    """Describe the run; a file that could not be checked is a notification."""
    told = [
        {"level": "error", "message": {"text": result.failure}, "locations": [{"physicalLocation": _file(result.path)}]}
        for result in results
        if result.failure is not None
    ]
    blocks = [
        {"path": show_file(result), "name": block.name, "compiles": block.row is None, "row": block.row}
        for result in results
        if result.fixed is not None
        for block in result.fixed.blocks
    ]
    properties = {"properties": {"blocks": blocks}} if blocks else {}
    return {"executionSuccessful": not told, "toolExecutionNotifications": told, **properties}


def _results(result: Result, codes: Sequence[str]) -> Iterator[dict[str, Any]]:
    for found, fingerprint in zip(result.diagnostics, fingerprints(result, show_file(result)), strict=True):
        item = {
            "ruleId": found.code,
            "ruleIndex": codes.index(found.code),
            "level": _LEVELS[found.severity],
            "message": {"text": f"{found.message}. {found.help}" if found.help else found.message},
            "locations": [_shown(result, found)],
            "partialFingerprints": {_FINGERPRINT: fingerprint},
        }
        if found.notes:
            item["relatedLocations"] = [_related(k, note, result.path) for k, note in enumerate(found.notes)]
        if found.fix is not None:
            item["fixes"] = [_fix(found, result.path)]
        yield item


def _shown(result: Result, found: Diagnostic) -> dict[str, Any]:
    """Return the place of a finding, with its code and the lines around it where they are at hand."""
    place = _place(result.path, found.location, found.end_location)
    lines = _lines(SourceFile(result.path, result.text))
    first, last = found.location.row, found.end_location.row
    if not 1 <= first <= last <= len(lines):
        return place
    physical = place["physicalLocation"]
    physical["region"]["snippet"] = {"text": _between(lines[first - 1 : last], found.location, found.end_location)}
    start, end = max(1, first - _CONTEXT), min(len(lines), last + _CONTEXT)
    context = {"startLine": start, "endLine": end, "snippet": {"text": "".join(lines[start - 1 : end])}}
    return {"physicalLocation": {**physical, "contextRegion": context}}


def _lines(source: SourceFile) -> list[str]:
    """Return the lines of a text as rows are counted, with their ends."""
    starts = [*source.line_starts, len(source.text)]
    return [source.text[start:end] for start, end in pairwise(starts)]


def _between(lines: Sequence[str], start: SourceLocation, end: SourceLocation) -> str:
    """Return the text of some lines from a column of the first to a column of the last."""
    *before, last = lines
    whole = "".join((*before, last[: end.column - 1]))
    return whole[start.column - 1 :]


def _fix(found: Diagnostic, path: Path) -> dict[str, Any]:
    assert found.fix is not None
    change = {**_file(path), "replacements": [_replacement(edit) for edit in found.fix.edits]}
    return {
        "description": {"text": found.fix.message},
        "artifactChanges": [change],
        "properties": {"applicability": found.fix.level},
    }


def _replacement(edit: Replacement) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.location, edit.end_location), "insertedContent": {"text": edit.content}}


def _related(number: int, note: Note, path: Path) -> dict[str, Any]:
    file = path if note.filename is None else Path(note.filename)
    return {"id": number, "message": {"text": note.message}, **_place(file, note.location, note.end_location)}


def _place(path: Path, start: SourceLocation, end: SourceLocation) -> dict[str, Any]:
    return {"physicalLocation": {**_file(path), "region": _region(start, end)}}


def _region(start: SourceLocation, end: SourceLocation) -> dict[str, Any]:
    return {"startLine": start.row, "startColumn": start.column, "endLine": end.row, "endColumn": end.column}


def _file(path: Path) -> dict[str, Any]:
    shown = uri_path(path)
    if shown.startswith("/") or Path(shown).is_absolute():
        return {"artifactLocation": {"uri": Path(shown).as_uri()}}
    return {"artifactLocation": {"uri": quote(os.fsencode(shown)), "uriBaseId": _ROOT}}
