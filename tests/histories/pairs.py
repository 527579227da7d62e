"""Repairs of hybridization in public histories, reduced and written anew: what stood there, and what stands since.

A file of `cases/` is cut by the headers of ``tests.constructs.sections``. The line below a header names the source, and
``# --`` parts the code before from the code after. A line that was repaired ends in the codes that are found there, as
``# HYB101``. This module runs in Python 3.8 too, where MXNet lives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.constructs.sections import Construct, read

CASES = Path(__file__).parent / "cases"
MARK = re.compile(r"  # (HYB\d{3}(?:, HYB\d{3})*)$", re.MULTILINE)


@dataclass(frozen=True)
class Pair:
    """One repair: `marked` is the module before, with its marks; `before` and `after` are constructs without any."""

    name: str
    source: str
    marked: str
    before: Construct
    after: Construct


def pairs() -> Iterator[Pair]:
    """Iterate over all repairs. Raises ValueError where one has no source or no second part."""
    for path in sorted(CASES.glob("*.txt")):
        for construct in read(path):
            yield _pair(construct)


def _pair(construct: Construct) -> Pair:
    source, _, code = construct.text.partition("\n")
    before, parted, after = code.partition("# --\n")
    if not source.startswith("# ") or not parted:
        raise ValueError(construct.name)
    marked = replace(construct, text=before)
    return Pair(
        construct.name,
        source[2:],
        marked.module,
        replace(construct, text=MARK.sub("", before)),
        replace(construct, text=after),
    )
