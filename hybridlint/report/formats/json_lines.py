"""One JSON object per line and finding, for programs that read as findings come in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.report.formats.json import items

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings with absolute file names."""
    return "".join(f"{json.dumps(item, sort_keys=True)}\n" for item in items(results))
