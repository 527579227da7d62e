"""A loop runs while the data of a tensor say so.

`while` asks a tensor for its truth value before each round. A Symbol raises NotImplementedForSymbol: the number of
rounds would have to be known at the trace. `F.contrib.while_loop` loops in the graph, up to a number of rounds.

Bad:

    while x.sum() < 100:  # HYB402
        x = x * 2
    return x

Good:

    _, (x,) = F.contrib.while_loop(
        cond=lambda value: value.sum() < 100,
        func=lambda value: ([], [value * 2]),
        loop_vars=[x],
        max_iterations=20,
    )
    return x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.values import DataDependentValue
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.loops.bounded_loops import all_rounds
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB402", summary="while on the data of a tensor", needs_values=True)


@rule.on(Branch)
def check(event: Branch) -> Iterator[Finding]:
    """Report ``while`` loops whose condition depends on the data of a tensor."""
    if event.kind != "while" or isinstance(event.value, DataDependentValue):
        return
    yield rule.at(
        event.condition,
        f"the loop depends on {snippet(event.frame, event.condition)}, {kind(event.value)}, which has no truth value "
        "once hybridized",
        fix=all_rounds(event) or keep_eager(event),
        help="Loop in the graph: F.contrib.while_loop, with a largest number of rounds.",
    )
