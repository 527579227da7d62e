"""A layer of Gluon is called that works eagerly only.

`SDMLLoss` asks its inputs for their shape, which Symbols have not. In numpy mode, RNN, LSTM and GRU that get no states
make some of size 0 when they are traced, and the shapes do not fit. All other layers of Gluon can be traced.

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.loss = gluon.loss.SDMLLoss()

        def hybrid_forward(self, F, x, y):
            return self.loss(x, y)  # HYB810

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.loss = gluon.loss.L2Loss()

        def hybrid_forward(self, F, x, y):
            return self.loss(x, y)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.events import BlockCall
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB810", summary="layer of Gluon that cannot be traced")

_NEVER = frozenset({"SDMLLoss"})
#: Layers that in numpy mode cannot be traced without states.
_WITH_STATES = frozenset({"RNN", "LSTM", "GRU"})


@rule.on(BlockCall)
def check(event: BlockCall) -> Iterator[Finding]:
    """Report the layers that a trace cannot go through."""
    block, given = event.block, event.arguments
    if block.info is not None or event.unrolled:
        return
    if block.layer in _NEVER:
        yield rule.at(
            event.node,
            f"{block.layer} reads the shape of its inputs, which Symbols have not",
            help="Call it outside of the block, on arrays.",
        )
    stateless = len(given.values) == 1 and "states" not in given.keywords
    if block.layer in _WITH_STATES and event.frame.mode == "np" and stateless:
        yield rule.at(
            event.node,
            f"{block.layer} without states cannot be traced in numpy mode: the states that it makes have size 0",
            help="Give it states: an input of the block.",
        )
