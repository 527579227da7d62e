"""`hybrid_forward` has no argument for `F`.

A HybridBlock calls its `hybrid_forward` with the operators first, `mx.nd` or `mx.sym`, and the inputs behind them.
Without an argument for them the first input gets the operators, and every call of the block raises. (The `forward` of
plain Blocks is called with the inputs alone.)

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.body = nn.Dense(2)

        def hybrid_forward(self, x):  # HYB813
            return self.body(x)

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.body = nn.Dense(2)

        def hybrid_forward(self, F, x):
            return self.body(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import SignatureEvent
from hybridlint.fixers.blocks.signatures import with_functions
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB813", summary="hybrid_forward without an argument for F")


@rule.on(SignatureEvent)
def check(event: SignatureEvent) -> Iterator[Finding]:
    """Report a signature whose first input is in the position of `F`, where the operators are passed."""
    if event.for_functions is None or not isinstance(event.node, ast.FunctionDef):
        return
    yield rule.at(
        event.node,
        f"`hybrid_forward` has no argument for `F`: `{event.for_functions}` gets the operators, and each call raises",
        fix=with_functions(event.frame.source, event.node),
        help="Write hybrid_forward(self, F, ...).",
    )
