"""A JSON list in Ruff's format, for editors and scripts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.core.coverage import COVERAGE_BY_RULE

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

#: Keys that only the formats for people use.
_INTERNAL = ("help", "callee")

FOR_PROGRAMS = True


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings with absolute file names."""
    return json.dumps(items(results), indent=2, sort_keys=True) + "\n"


def items(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return the JSON object of each finding; after fixing, with the `blocks` that it keeps from compiling."""
    return [_item(result, diagnostic) for result in results for diagnostic in result.diagnostics]


def _item(result: Result, diagnostic: Diagnostic) -> dict[str, Any]:
    data = {key: value for key, value in diagnostic.to_json().items() if key not in _INTERNAL}
    if diagnostic.fix is not None:
        del data["fix"]["kind"]
        data["fix"]["applicability"] = diagnostic.fix.level
    if not diagnostic.notes:
        del data["notes"]
    cell: dict[str, Any] = {} if result.cell is None else {"cell": result.cell}
    blocks = () if result.fixed is None else result.fixed.blocks
    kept = [block.name for block in blocks if block.row == diagnostic.location.row]
    gap = COVERAGE_BY_RULE.get(diagnostic.name)
    cell |= {} if gap is None else {"coverage": gap}
    return {**data, **cell, **({"blocks": kept} if kept else {}), "filename": os.path.abspath(result.path)}
