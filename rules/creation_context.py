"""A creation function gets a context.

`F.zeros(shape, ctx)`, `F.full(shape, value, ctx)` and `F.arange(..., ctx=...)` take a device in `mx.nd`. In
`mx.sym` the parameter in that place is the dtype, and `arange` and `linspace` have none called `ctx`. In a graph
constants live where the inputs are: leave the context out.

Bad:

    # hybridlint: shapes(x=(2, 3))
    return F.full((2, 3), 7, mx.cpu()) + x  # HYB506

Good:

    # hybridlint: shapes(x=(2, 3))
    return F.full((2, 3), 7) + x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.fixers.functions.one_mode import context_argument, without_context
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts import lookup

rule = Rule(__name__, code="HYB506", summary="context of a creation function")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report a context argument of a creation function whose ``mx.sym`` form takes none."""
    if event.namespace.root != "F" or event.namespace.path or not lookup.makes_array(event.name):
        return
    context = context_argument(event)
    if context is None:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, context)}: `F.{event.name}` takes no context here once hybridized",
        fix=without_context(event, context),
        help="Leave the context out: constants live where the inputs are.",
    )
