"""The format with the findings of each file under its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.style import heading, show_file

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = False


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings, those of each file indented below the file's name."""
    return "".join("\n".join(_group(result, manner)) + "\n\n" for result in results if result.diagnostics)


def _group(result: Result, manner: ReportOptions) -> Iterator[str]:
    places = [f"{found.location.row}:{found.location.column}" for found in result.diagnostics]
    width = max(map(len, places))
    yield f"{style(show_file(result), bold=True, underline=True)}:"
    for place, found in zip(places, result.diagnostics, strict=True):
        yield f"  {place:<{width}} {heading(found, manner)} {found.message}"
