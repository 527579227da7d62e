"""An output of `hybrid_forward` depends on no input.

A graph needs at least one input. A block whose only output is made by `F.ones`, `F.arange` or a random operator
raises "There are no inputs in computation graph" when it is hybridized. Where only some settings lead to it, it is a
warning.

Bad:

    return F.arange(6) if x is None else F.arange(5)  # HYB902

Good:

    return F.broadcast_add(F.arange(6) if x is None else F.arange(5), F.sum(F.zeros_like(x)).astype("float32"))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import Return
from hybridlint.analysis.model.values import ContainerValue, Tensor, Value
from hybridlint.fixers.blocks.outputs import with_input
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB902", summary="output that depends on no input")


@rule.on(Return)
def check(event: Return) -> Iterator[Finding]:
    """Report a return whose every output is a constant of the graph."""
    values = list(_flat(event.value))
    if not values or not all(isinstance(v, Tensor) and v.origin == "constant" for v in values):
        return
    yield rule.at(
        event.node,
        "no output depends on an input: the graph has none, and the hybridized block raises",
        severity=Severity.WARNING if event.one_of_several else None,
        fix=with_input(event),
        help="Compute it outside of the block, or from an input.",
    )


def _flat(value: Value) -> Iterator[Value]:
    if isinstance(value, ContainerValue):
        for item in value.items or ():
            yield from _flat(item)
    else:
        yield value
