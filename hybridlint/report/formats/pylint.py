"""Lines as Pylint writes them, ``path:row: [HYB101] error: message``, which many older tools read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.report.style import severity_word, show_file

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings, one line each."""
    return "".join(
        f"{show_file(result)}:{found.location.row}: [{found.code}] {severity_word(found)}: {found.message}\n"
        for result in results
        for found in result.diagnostics
    )
