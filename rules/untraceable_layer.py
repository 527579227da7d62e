"""A layer of Gluon is called that works eagerly only.

`SDMLLoss` asks its inputs for their shape, which Symbols have not: the block that calls it raises when it is
hybridized. It is the only layer of Gluon that is a HybridBlock and cannot be traced.

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

from hybridlint.analysis.model.events import BlockCall
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB810", summary="layer of Gluon that cannot be traced", needs_values=True)


@rule.on(BlockCall)
def check(event: BlockCall) -> Iterator[Finding]:
    """Report calls of layers that cannot be traced."""
    layer = layer_of(event.block) if event.block.info is None else None
    if layer is not None and layer.reads_shape:
        yield rule.at(
            event.node,
            f"{event.block.layer} reads the shape of its inputs, which Symbols do not have",
            help="Call it outside of the block, on arrays.",
        )
