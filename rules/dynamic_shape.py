"""The shape of an intermediate result depends on data.

`F.contrib.boolean_mask` and its kin run in a hybridized block, without static memory planning;
`hybridize(static_shape=True)`, exported models and other engines refuse them.

Bad:

    return F.contrib.boolean_mask(x, y)  # HYB903

Good:

    return F.where(y, x, F.zeros_like(x))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB903", summary="shape that depends on data", severity=Severity.INFO, needs_values=True)


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report operators whose output shape depends on the data of their inputs."""
    if event.namespace.root != "F" or event.operator is None or not event.operator.facts.dynamic_shape:
        return
    yield rule.at(
        event.node,
        f"the shape of {snippet(event.frame, event.node)} depends on data: it cannot be planned statically, and not "
        "every engine runs it",
        help="Use F.where or F.SequenceMask if the size may stay the same.",
    )
