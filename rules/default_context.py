"""A creation function gets no context, so that eagerly its array is on the current one.

`F.zeros(shape)`, `F.full(shape, value)` and `F.arange(n)` make their array on the current context, which is the CPU
unless the program says otherwise. Where the inputs are on a GPU, an eager run raises, as operators take arrays of one
context; a graph puts constants where its inputs are. The forms that end in `_like` take the device from their argument
in both. This rule is for programs that run such blocks eagerly on GPUs; it is used where `HYB518` or `default-context`
selects it.

Bad:

    # hybridlint: shapes(x=(2, 3))
    return F.zeros((2, 3)) + x  # HYB518

Good:

    # hybridlint: shapes(x=(2, 3))
    return F.zeros_like(x) + x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.runtime.facts import lookup, surface

rule = Rule(
    __name__,
    code="HYB518",
    summary="creation function on the current context",
    severity=Severity.WARNING,
    default=False,
)


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report creation functions of F that name no context."""
    if event.namespace.root != "F" or event.namespace.path or not lookup.makes_array(event.name):
        return
    given = len(event.arguments.nodes)
    if "ctx" in event.arguments.keyword_nodes or given > surface.CONTEXT_PLACES.get(event.name, given):
        return
    like = lookup.like(event.name)
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} is on the current context eagerly, whatever device the inputs are on",
        help=f"Take the device from an input: `F.{like}(x)`." if like else "Make it of an input, by operators on that.",
    )
