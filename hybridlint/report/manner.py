"""How a check is reported, as every format and the summary read it."""

from __future__ import annotations

from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class Manner:
    """What a run did and was asked for, as far as a report tells it.

    `fixing`: fixes were applied; `unsafe`: unsafe ones count as fixes; `written`: files are as after fixing;
    `known`: so many findings more stand in the baseline.
    """

    fixing: bool = False
    unsafe: bool = False
    written: bool = True
    known: int = 0
