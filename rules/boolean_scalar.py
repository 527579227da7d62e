"""A boolean is the scalar operand of a tensor.

`x + True` is `x + 1` on an array. The operators of a Symbol write their scalar as text, and "True" is no number:
the block raises.

Bad:

    return x + True  # HYB304

Good:

    return x + 1
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.describe import snippet
from hybridlint.analysis.events import Binary
from hybridlint.analysis.values import Divergent, Static, Tensor
from hybridlint.fixers.arithmetic import integer_scalar
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB304", summary="boolean as the scalar of an operator")


@rule.on(Binary)
def check(event: Binary) -> Iterator[Finding]:
    """Report a tensor beside a Python or numpy boolean."""
    pairs = ((event.left, event.right, event.right_node), (event.right, event.left, event.left_node))
    for tensor, other, node in pairs:
        scalar = other.traced if isinstance(other, Divergent) else other
        if not isinstance(tensor, Tensor) or tensor.mode != "legacy" or not isinstance(scalar, Static):
            continue
        if scalar.is_boolean or event.frame.source.code(node).endswith(
            ("np.True_", "np.False_")
        ):
            yield rule.at(
                event.node,
                f"{snippet(event.frame, node)} is a boolean: the operator of a Symbol takes numbers only",
                fix=integer_scalar(event, node),
                help="Write 1 or 0.",
            )
