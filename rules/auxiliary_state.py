"""An auxiliary state is computed in the block.

BatchNorm and its kin update their running statistics, which must be variables of the graph: parameters or inputs. A
tensor that the block computes in their place works eagerly, and raises "Mutation target can only be Variable" when
it is hybridized.

Bad:

    # hybridlint: shapes(x=("N", 3), gamma=(3,), beta=(3,))
    return F.BatchNorm(x, gamma, beta, F.zeros((3,)), F.ones((3,)))  # HYB514

Good:

    # hybridlint: shapes(x=("N", 3), gamma=(3,), beta=(3,), mean=(3,), var=(3,))
    return F.BatchNorm(x, gamma, beta, mean, var)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB514", summary="auxiliary state that is computed")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report tensors that `hybrid_forward` computes and passes as auxiliary states, such as ``moving_mean``."""
    operator = event.operator
    if event.namespace.root != "F" or operator is None or not operator.aux:
        return
    given = dict(zip(operator.inputs, zip(event.arguments.nodes, event.arguments.values, strict=True), strict=False))
    given |= {k: (event.arguments.keyword_nodes[k], v) for k, v in event.arguments.keywords.items()}
    for name in operator.aux:
        node, value = given.get(name, (None, None))
        if node is not None and isinstance(value, Tensor) and value.origin in {"operator", "weights", "constant"}:
            yield rule.at(
                node,
                f"{snippet(event.frame, node)} is computed, and `{name}` is updated: the graph needs a Parameter there",
                help="Declare it as a Parameter with grad_req='null'.",
            )
