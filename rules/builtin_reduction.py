"""A builtin of Python reduces or collects a tensor.

`sum`, `max`, `min`, `sorted`, `list`, `any`, `all` and `reduce` iterate. An array has rows; a legacy Symbol yields
itself once, so that the result is the whole tensor, and nothing is raised; with comparisons, or in numpy mode, the
block raises.

Measured:

    return sum(x)

    >>> x = [[1, 2, 3], [4, 5, 6]]
    >>> eager(x)
    [5, 7, 9]
    >>> hybridized(x)
    [[1, 2, 3], [4, 5, 6]]

Bad:

    return sum(x)  # HYB210

Good:

    return F.sum(x, axis=0)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.values import DataDependentValue
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.loops.iteration import reduction
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB210", summary="sum, max, list and other builtins on a tensor")

_BUILTINS = frozenset({"sum", "max", "min", "sorted", "list", "tuple", "any", "all", "reduce", "dict", "divmod"})


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report builtins that consume or compare all rows of a tensor, such as ``sum``, ``max`` and ``list``."""
    if event.how not in _BUILTINS or isinstance(event.value, DataDependentValue):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: `{event.how}` on {kind(event.value)} differs once hybridized",
        fix=reduction(event),
        help="Use the operator: F.sum, F.max, F.min, F.sort with an axis.",
    )
