"""Statistics: the number of findings of each rule."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from click import style

if TYPE_CHECKING:
    from hybridlint.core.result import Result


class StatisticsRow(TypedDict):
    """The count of one rule."""

    code: str
    name: str
    count: int
    fixable_count: int


def render(results: Sequence[Result], *, unsafe: bool) -> str:
    """Return one line per rule, the most frequent first: count, code, whether all, some or none are fixable, name."""
    rows = count(results, unsafe=unsafe)
    width = max((len(str(row["count"])) for row in rows), default=1)
    lines: list[str] = []
    for row in rows:
        mark = "*" if row["fixable_count"] == row["count"] else "-" if row["fixable_count"] else " "
        code = style(row["code"], fg="red", bold=True)
        lines.append(f"{row['count']:>{width}}\t{code}\t[{style(mark, fg='cyan')}] {row['name']}\n")
    return "".join(lines)


def render_json(results: Sequence[Result], *, unsafe: bool) -> str:
    """Return the statistics as a JSON list."""
    return json.dumps(count(results, unsafe=unsafe), indent=2, sort_keys=True) + "\n"


def count(results: Sequence[Result], *, unsafe: bool) -> list[StatisticsRow]:
    """Count findings and fixable findings for each rule, the most frequent first."""
    diagnostics = [d for result in results for d in result.diagnostics]
    total = Counter((d.code, d.name) for d in diagnostics)
    fixable = Counter(d.code for d in diagnostics if d.fixable(unsafe=unsafe))
    ordered = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    return [StatisticsRow(code=code, name=name, count=n, fixable_count=fixable[code]) for (code, name), n in ordered]
