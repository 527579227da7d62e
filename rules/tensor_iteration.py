"""A tensor is iterated.

Iteration visits the rows of an array. A legacy Symbol yields its outputs, which is the whole tensor, once, and
nothing is raised; a Symbol of numpy mode raises TypeError. `F.contrib.foreach` loops over rows in both modes, and
most loops are one operator.

Measured:

    return F.stack(*[row * 2 for row in x])

    >>> x = [[1, 2, 3], [4, 5, 6]]
    >>> eager(x)
    [[2, 4, 6], [8, 10, 12]]
    >>> hybridized(x)
    [[[2, 4, 6], [8, 10, 12]]]

Bad:

    total = 0
    for row in x:  # HYB207
        total = total + row * row
    return total

Good:

    total = F.sum(x * x, axis=0)
    return total
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import ITERATING, Concretize
from hybridlint.analysis.model.values import DataDependentValue, Tensor
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.loops.iteration import iterate
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB207", summary="loop over a tensor")


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report loops and comprehensions over a tensor, and builtins that iterate it lazily, such as ``zip``."""
    if event.how not in ITERATING or isinstance(event.value, DataDependentValue):
        return
    once = isinstance(event.value, Tensor) and event.value.mode == "legacy"
    effect = "sees one element, the whole tensor, once hybridized" if once else "raises once hybridized"
    yield rule.at(
        event.node,
        f"iterating over {snippet(event.frame, event.node)}, {kind(event.value)}, {effect}",
        fix=iterate(event),
        otherwise=lambda: keep_eager(event),
        help="Use an operator on the whole tensor, or F.contrib.foreach.",
    )
