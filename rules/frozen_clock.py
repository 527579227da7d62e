"""The time, or another reading of the outside world, is frozen.

`time.time()`, `datetime.now()`, `os.environ` and files are read once, at the trace. Every later call of the
hybridized block uses what was read then.

Bad:

    import time

    return x * time.time()  # HYB602

Good:

    return x * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import TraceConstant
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB602", summary="clock or environment, frozen at the trace")

OUTSIDE = ("time.", "datetime.", "os.", "sys.", "open", "input", "itertools.", "next")


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report reads of the clock and of the environment, whose value at the trace stays in the graph."""
    if not event.source_of_value.startswith(OUTSIDE) or event.source_of_value.startswith("os.urandom"):
        return
    yield rule.at(
        event.node,
        f"`{event.source_of_value}` is read once, at the trace, and the hybridized block keeps that value",
        severity=Severity.ERROR if event.used else Severity.INFO,
        fix=keep_eager(event) if event.used else None,
        help="Give the value as an input, or to the constructor.",
    )
