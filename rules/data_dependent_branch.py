"""A branch on the data of a tensor.

`if` asks a tensor for its truth value. At the trace there are no data: a Symbol raises NotImplementedForSymbol. Let
the graph choose: `F.where` picks element by element, `F.contrib.cond` runs one of two functions.

Bad:

    # hybridlint: shapes(x=("N", 3))
    return x * 2 if x.sum() > 0 else x * 3  # HYB401

Good:

    # hybridlint: shapes(x=("N", 3))
    return F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x * 3)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.values import DataDependentValue
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.branches import choose
from hybridlint.fixers.control.early_returns import choose_late
from hybridlint.fixers.control.neutral_operands import neutral_operand
from hybridlint.fixers.control.preparatory import last_resort
from hybridlint.fixers.loops.bounded_loops import all_rounds
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB401", summary="branch on the data of a tensor", needs_values=True)


@rule.on(Branch)
def check(event: Branch) -> Iterator[Finding]:
    """Report ``if``, ``a if c else b`` and conditions of comprehensions that depend on the data of a tensor."""
    if event.kind not in {"if", "ternary", "comprehension"} or isinstance(event.value, DataDependentValue):
        return
    yield rule.at(
        event.condition,
        f"the branch depends on {snippet(event.frame, event.condition)}, {kind(event.value)}, which has no truth value "
        "once hybridized",
        fix=neutral_operand(event)
        or all_rounds(event)
        or choose_late(event, dividing=True)
        or choose(event)
        or choose_late(event)
        or last_resort(event.frame),
        otherwise=lambda: keep_eager(event),
        help="Choose in the graph: F.where or F.contrib.cond.",
    )
