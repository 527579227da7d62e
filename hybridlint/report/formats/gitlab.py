"""A report of GitLab's Code Quality, which a merge request shows beside its lines.

The form: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.core.fingerprint import fingerprints
from hybridlint.report.style import show_file, uri_path

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info", "possible": "info"}


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings as a JSON list. Paths are relative to the current folder, which is the repository's."""
    return json.dumps([item for result in results for item in _items(result)], indent=2) + "\n"


def _items(result: Result) -> Iterator[dict[str, Any]]:
    for found, fingerprint in zip(result.diagnostics, fingerprints(result, show_file(result)), strict=True):
        start, end = found.location, found.end_location
        yield {
            "check_name": found.code,
            "description": f"{found.code}: {found.message}",
            "severity": _SEVERITIES[found.severity],
            "fingerprint": fingerprint,
            "location": {
                "path": uri_path(result.path),
                "positions": {
                    "begin": {"line": start.row, "column": start.column},
                    "end": {"line": end.row, "column": end.column},
                },
            },
        }
