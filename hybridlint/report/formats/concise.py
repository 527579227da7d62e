"""The format with one line per finding: ``path:row:column: HYB101 [*] error: message``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.style import heading, show_file

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = False


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings, one line each."""
    lines: list[str] = []
    for result in results:
        name = style(show_file(result), bold=True)
        for diagnostic in result.diagnostics:
            place = diagnostic.location
            colon = style(":", fg="cyan")
            head = f"{name}{colon}{place.row}{colon}{place.column}{colon}"
            lines.append(f"{head} {heading(diagnostic, manner)} {diagnostic.message}\n")
    return "".join(lines)
