"""Workflow commands of GitHub Actions, which appear as annotations of a pull request's lines.

The syntax and its escapes: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.report.style import severity_word, uri_path

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice", "possible": "notice"}
_IN_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return one command per finding."""
    return "".join(_command(uri_path(result.path), found) for result in results for found in result.diagnostics)


def _command(path: str, found: Diagnostic) -> str:
    properties = ",".join(f"{key}={value.translate(_IN_PROPERTIES)}" for key, value in _properties(path, found))
    place = f"{path}:{found.location.row}:{found.location.column}"
    text = f"{place}: {found.code} {severity_word(found)}: {found.message}" + (
        f"\n  help: {found.help}" if found.help else ""
    )
    return f"::{_COMMANDS[found.severity]} {properties}::{text.translate(_IN_DATA)}\n"


def _properties(path: str, found: Diagnostic) -> Iterator[tuple[str, str]]:
    start, end = found.location, found.end_location
    yield "title", f"hybridlint ({found.code})"
    yield "file", path
    yield "line", str(start.row)
    yield "endLine", str(end.row)
    if start.row == end.row:
        # Columns of several lines are refused.
        yield "col", str(start.column)
        yield "endColumn", str(end.column)
