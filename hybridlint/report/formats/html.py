"""A page with findings, diffs, proofs and graphs, in one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.report import page

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return the page."""
    return page.render(results, written=manner.written)
