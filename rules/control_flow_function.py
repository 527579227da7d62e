"""A control flow operator gets what a graph cannot hold.

`F.contrib.cond`, `foreach` and `while_loop` just call their functions in an eager run. Once hybridized, each function
becomes a graph: conditions and results are Symbols, all branches are traced and give as many outputs, each of which
depends on an input, and what a function gets it uses. Whatever is otherwise raises. A function through which no
gradient passes (`F.zeros_like(x)`) raises in backward, and so does one that adds by `+` what it uses nowhere else.

Bad:

    def halve():
        return x / 2

    def zero():
        return 0

    return F.contrib.cond(x.sum() > 1, halve, zero)  # HYB516

Good:

    def halve():
        return x / 2

    def zero():
        return x * 0

    return F.contrib.cond(x.sum() > 1, halve, zero)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import ControlFlow
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB516", summary="control flow operator with something that a graph cannot hold")


@rule.on(ControlFlow)
def check(event: ControlFlow) -> Iterator[Finding]:
    """Report arguments of ``F.contrib.cond``, ``foreach`` and ``while_loop`` that raise once hybridized."""
    fails = "backward raises or gives wrong gradients" if event.backward else "it raises"
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} of `{event.name}`: {fails} once hybridized, as {event.reason}",
        severity=Severity.WARNING if event.backward else Severity.ERROR,
        help="Compute conditions, results and states with operators of F, from what the function gets.",
    )
