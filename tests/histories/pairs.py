"""Repairs of hybridization in public histories, reduced and written anew: what stood there, and what stands since.

A file of `cases/` is cut by the headers of ``tests.constructs.sections``. The line below a header names the source; one
more may say what is not done about it (``# not fixed: ...``, ``# not found: ...``). ``# --`` parts the code before from
the code after. A line that was repaired ends in the codes that are found there, as ``# HYB101``; those of possible
findings have a question mark. This module runs in Python 3.8 too, where MXNet lives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.constructs.sections import Construct, read

CASES = Path(__file__).parent / "cases"
MARK = re.compile(r"  # (HYB\d{3}\??(?:, HYB\d{3}\??)*)$", re.MULTILINE)
_NOTE = re.compile(r"# not (fixed|found): (.*)\n")


@dataclass(frozen=True)
class Pair:
    """One repair: `marked` is the module before, with its marks; `before` and `after` are constructs without any.

    `lacks` says what is not done, "fixed" or "found", and why.
    """

    name: str
    source: str
    lacks: tuple[str, str] | None
    marked: str
    before: Construct
    after: Construct

    @property
    def marks(self) -> set[tuple[int, str]]:
        """Rows and codes of what is to be found before, with their question marks."""
        lines = enumerate(self.marked.split("\n"), 1)
        return {(row, code) for row, line in lines for codes in MARK.findall(line) for code in codes.split(", ")}

    @property
    def comparable(self) -> bool:
        """Whether the block before can be compared: not where it hides its parameters from who sets them."""
        return "skip" not in self.before.flags


def pairs() -> Iterator[Pair]:
    """Iterate over all repairs. Raises ValueError where one has no source or no second part."""
    for path in sorted(CASES.glob("*.txt")):
        for construct in read(path):
            yield _pair(construct)


def _pair(construct: Construct) -> Pair:
    source, _, code = construct.text.partition("\n")
    note = _NOTE.match(code)
    before, parted, after = code[note.end() if note else 0 :].partition("# --\n")
    if not source.startswith("# ") or not parted:
        raise ValueError(construct.name)
    return Pair(
        construct.name,
        source[2:],
        (note.group(1), note.group(2)) if note else None,
        replace(construct, text=before).module,
        replace(construct, text=MARK.sub("", before)),
        replace(construct, text=after),
    )
