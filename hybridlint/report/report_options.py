"""How a check is reported, as every format and the summary read it."""

from __future__ import annotations

from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class ReportOptions:
    """The facts about a run that a report needs.

    `fixing`: fixes were applied; `unsafe`: unsafe ones count as fixes; `keep_eager`: classes may stay eager; `written`:
    files are as after fixing; `known`: the number of further findings in the baseline.
    """

    fixing: bool = False
    unsafe: bool = False
    keep_eager: bool = False
    written: bool = True
    known: int = 0
