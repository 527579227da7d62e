"""Writes docs/histories.md: ``python -m tests.histories.page``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .measure import ANSWERS
from .pairs import Pair, pairs

PAGE = Path(__file__).parents[2] / "docs" / "histories.md"

_TEXT = """\
<!-- Written by tests/histories/page.py: change what it reads, not this page. -->

# Public histories

Maintainers have repaired hybridization many times: in GluonCV, GluonNLP, GluonTS, Sockeye, MXNet itself and projects
beside them. {total} of these repairs are kept under `tests/histories/cases`, reduced to a block each and written anew.
Where a thread is named, it tells of the repair. Where a file is named, the code after is how the released file does it,
and the code before is the eager way to do the same.

Each block ran on MXNet 1.9.1, before and after, eagerly and hybridized, with its gradients. Before, {errors} raised
once hybridized and {silent} silently returned other results; {uncompared} were not compared, because the test
cannot set their parameters. After, all worked.

- **Found**: {found} of {total} are found at the repaired place. {possible} more are possible findings: their shapes are
  known at run time only, and `--possible` tells them. {lost} are not found.
- **Left alone**: nothing is found in any of the {total} repairs.
- **Fixed**: `--fix --unsafe-fixes` repairs {fixed} whole. Each of those gives, eagerly and hybridized, what MXNet gave
  eagerly before, gradients included.

| repair | source | before | found | fixed |
| --- | --- | --- | --- | --- |
{rows}
"""


def page() -> str:
    """Return the page."""
    answers: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    every = list(pairs())
    labels = [answers[pair.name]["before"]["label"] for pair in every if pair.comparable]
    sure = [pair for pair in every if _codes(pair, possible=False)]
    doubtful = [pair for pair in every if pair not in sure and pair.marks]
    return _TEXT.format(
        total=len(every),
        errors=labels.count("error"),
        silent=labels.count("silent"),
        uncompared=len(every) - len(labels),
        found=len(sure),
        possible=len(doubtful),
        lost=len(every) - len(sure) - len(doubtful),
        fixed=sum(pair.lacks is None and pair.comparable for pair in sure),
        rows="\n".join(_row(pair, answers[pair.name]["before"]["label"]) for pair in every),
    )


def _codes(pair: Pair, *, possible: bool) -> list[str]:
    return sorted({code for _, code in pair.marks if code.endswith("?") == possible})


def _row(pair: Pair, label: str) -> str:
    where = re.sub(r"^(github\.com/\S+)", r"[\1](https://\1)", pair.source)
    found = [*_codes(pair, possible=False), *_codes(pair, possible=True)]
    lacks = "" if pair.lacks is None else f"no: {pair.lacks[1]}"
    done = "yes" if _codes(pair, possible=False) and not lacks else lacks or "no: it is a possible finding"
    name = pair.name.replace("_", " ")
    return f"| {name} | {where} | {label if pair.comparable else ''} | {', '.join(found) or 'no'} | {done} |"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
