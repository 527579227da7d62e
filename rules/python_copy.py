"""A tensor is copied with `copy` or `pickle`.

`copy.copy`, `copy.deepcopy` and `pickle` detach an array from autograd's record. On a Symbol they copy a node of
the graph, and the gradient flows through: training differs, and nothing is raised.

Measured:

    import copy
    return copy.deepcopy(x) * x

    >>> x = [1, 2, 3]
    >>> eager.gradient(x)
    [1, 2, 3]
    >>> hybridized.gradient(x)
    [2, 4, 6]

Bad:

    import copy

    return copy.deepcopy(x) + x  # HYB512

Good:

    import copy

    return F.BlockGrad(x) + x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import ForeignCall
from hybridlint.fixers.functions.copies import block_copy
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB512", summary="copy of a tensor that changes gradients")


@rule.on(ForeignCall)
def check(event: ForeignCall) -> Iterator[Finding]:
    """Report functions of the modules copy and pickle that get a tensor."""
    if event.function.partition(".")[0] not in {"copy", "pickle", "cloudpickle"}:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} is detached eagerly and differentiable once hybridized",
        fix=block_copy(event),
        help="Write F.BlockGrad(x) to stop the gradient, or x itself.",
    )
