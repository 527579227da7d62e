"""A function that is too long to be checked whole.

The analysis follows a block for a bounded number of steps, so that no file holds up a run. Where a function takes more
of them, the statements that are left are not checked: that nothing is found there says nothing. A function of many
thousands of lines, or loops within loops over long lists, reach the bound. Moving a part of it into a block of its own
gives that part steps of its own. The same holds for a chain of many thousands of `elif`s, or an expression of as many
terms: they are nested more deeply than the analysis can follow.

Bad:

    def hybrid_forward(self, F, x):  # HYB002
        x = x * 1
        x = x * 2
        ...  # ten thousand lines

Good:

    def hybrid_forward(self, F, x):
        x = self.first(x)
        x = self.second(x)
        ...  # ten lines
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import Unfinished
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB002", summary="function that is too long to be checked whole", severity=Severity.INFO)


@rule.on(Unfinished)
def check(event: Unfinished) -> Iterator[Finding]:
    """Report functions that the analysis did not finish."""
    why = "is nested too deeply to be analyzed" if event.deep else "takes more steps than the analysis allows"
    yield rule.at(
        event.node,
        f"`{event.name}` {why}: it was not checked from line {event.row} on",
        help="Move parts of it into blocks of their own.",
    )
