"""A recurrent layer of numpy mode is called without states.

`rnn.RNN`, `rnn.LSTM` and `rnn.GRU` make states of zeros where they get none. In a graph these have an unknown batch
size, written as 0, which numpy mode takes for an empty dimension: "Shape inconsistent" is raised when the block is
hybridized. Give the states. Or let `--fix --keep-eager` keep the block eager, as below: the layer, compiled by itself,
makes states of the right size.

Bad:

    mx.npx.set_np()

    class Encoder(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.cell = gluon.rnn.GRU(8, input_size=4)

        def hybrid_forward(self, F, x):
            return self.cell(x)  # HYB515

Good:

    mx.npx.set_np()

    class Encoder(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.cell = gluon.rnn.GRU(8, input_size=4)

        def hybridize(self, active=True, **kwargs):
            # Each call makes states for its own batch, which a graph cannot: only the children are compiled.
            for child in self._children.values():
                child.hybridize(active, **kwargs)

        def hybrid_forward(self, F, x):
            return self.cell(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import BlockCall
from hybridlint.analysis.model.values import StaticValue
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB515", summary="recurrent layer without states in numpy mode")


@rule.on(BlockCall)
def check(event: BlockCall) -> Iterator[Finding]:
    """Report calls of recurrent layers in numpy mode that pass no states."""
    layer = layer_of(event.block) if event.frame.mode == "np" and event.block.info is None else None
    if layer is None or not layer.sequences:
        return
    given = [*event.arguments.values[1:], *(v for k, v in event.arguments.keywords.items() if k == "states")]
    if all(value == StaticValue(None) for value in given):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} raises once hybridized: without states, a recurrent layer of numpy "
            "mode creates empty ones",
            otherwise=lambda: keep_eager(event),
            help="Give the states, as an argument of the block or made by F.np.zeros.",
        )
