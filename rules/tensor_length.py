"""The length of a tensor is taken.

`len(x)` is the size of the first axis on an array. For a Symbol of legacy mode it is silently 1, the number of its
outputs; a Symbol of numpy mode raises TypeError.

Measured:

    return x * len(x)

    >>> x = [1, 2, 3]
    >>> eager(x)
    [3, 6, 9]
    >>> hybridized(x)
    [1, 2, 3]

Bad:

    return x / len(x)  # HYB206

Good:

    return F.broadcast_div(x, F.sum(F.ones_like(F.contrib.arange_like(x, axis=0))))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.preparatory import last_resort
from hybridlint.fixers.shapes.lengths import length
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB206", summary="len of a tensor")


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report ``len(x)`` of a tensor. Several outputs have the same length eagerly and once hybridized."""
    if event.how != "len" or not isinstance(event.value, Tensor):
        return
    effect = "is 1 once hybridized, without any error" if event.value.mode == "legacy" else "raises once hybridized"
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} of {kind(event.value)} {effect}",
        fix=length(event) or last_resort(event.frame),
        otherwise=lambda: keep_eager(event),
        help="Reduce over the axis (mean, sum), use F.shape_array, or give the size to the constructor.",
    )
