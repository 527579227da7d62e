"""A call passes arguments that do not fit the function or block.

A function or a child block is called with too few arguments, with too many, or with one that it does not have. The
call raises TypeError before any of its code runs, eagerly and once hybridized. Helpers that take `F` are often called
without it.

Bad:

    def scaled(F, x, by):
        return F.broadcast_mul(x, by)

    class Net(HybridBlock):
        def hybrid_forward(self, F, x, by):
            return scaled(x, by)  # HYB814

Good:

    def scaled(F, x, by):
        return F.broadcast_mul(x, by)

    class Net(HybridBlock):
        def hybrid_forward(self, F, x, by):
            return scaled(F, x, by)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import UnboundCall
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB814", summary="call with arguments that do not fit")


@rule.on(UnboundCall)
def check(event: UnboundCall) -> Iterator[Finding]:
    """Report calls whose arguments cannot be bound."""
    assert isinstance(event.node, ast.Call)
    called = event.frame.source.code(event.node.func)
    yield rule.at(
        event.node,
        f"`{called}` {event.reason}: the call raises TypeError",
        help="Call it with the arguments that it takes.",
    )
