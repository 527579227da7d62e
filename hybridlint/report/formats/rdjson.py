"""Reviewdog's diagnostic format, with fixes as suggestions of a review.

The form: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf. Its columns count bytes of UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.report.style import uri_path
from hybridlint.rule import HOME_URL
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic, SourceLocation
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "info": "INFO", "possible": "INFO"}


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings as one JSON object. Fixes that are only for display are not suggested."""
    found = [item for result in results for item in _items(result)]
    source = {"name": "hybridlint", "url": HOME_URL}
    return json.dumps({"source": source, "severity": "WARNING", "diagnostics": found}, indent=2) + "\n"


def _items(result: Result) -> Iterator[dict[str, Any]]:
    source = SourceFile(result.path, result.text)
    for found in result.diagnostics:
        where = {"path": uri_path(result.path), "range": _range(found.location, found.end_location, source)}
        item = {
            "message": found.message,
            "location": where,
            "severity": _SEVERITIES[found.severity],
            "code": {"value": found.code, "url": found.url},
        }
        suggestions = list(_suggestions(found, source))
        yield {**item, "suggestions": suggestions} if suggestions else item


def _suggestions(found: Diagnostic, source: SourceFile) -> Iterator[dict[str, Any]]:
    if found.fix is None or not found.fixable(unsafe=True):
        return
    for edit in found.fix.edits:
        yield {"range": _range(edit.location, edit.end_location, source), "text": edit.content}


def _range(start: SourceLocation, end: SourceLocation, source: SourceFile) -> dict[str, dict[str, int]]:
    return {"start": _position(start, source), "end": _position(end, source)}


def _position(place: SourceLocation, source: SourceFile) -> dict[str, int]:
    before = source.line(place.row)[: place.column - 1] if place.row <= len(source.line_starts) else ""
    return {"line": place.row, "column": len(before.encode(errors="surrogatepass")) + 1}
