"""A tensor is transposed with `.T`.

The Symbol of legacy mode has no `T`: the block raises AttributeError once hybridized. `transpose()` without axes
reverses the dimensions just the same, in both modes.

Bad:

    return F.dot(x.T, x)  # HYB104

Good:

    return F.dot(x.transpose(), x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import AttributeRead
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.functions.methods import transpose
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB104", summary="`.T` of a tensor")


@rule.on(AttributeRead)
def check(event: AttributeRead) -> Iterator[Finding]:
    """Report ``x.T`` in legacy mode; in numpy mode Symbols have it."""
    if event.name != "T" or not isinstance(event.value, Tensor | Outputs) or event.value.mode != "legacy":
        return
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, subject(event.node), event.value)}: a Symbol has no `T`",
        fix=transpose(event),
        help="Call `transpose()`.",
    )
