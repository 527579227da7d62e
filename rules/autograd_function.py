"""A function with a backward of its own, `autograd.Function`.

Its `forward` is Python that works on arrays. While a block is traced it gets Symbols: what it does with them becomes
part of the graph, if it does not raise, and its `backward` is never called. Where a gradient is being recorded, the
process may even crash.

Bad:

    class Net(HybridBlock):
        def hybrid_forward(self, F, x):
            return Sign()(x)  # HYB609

    class Sign(autograd.Function):
        def forward(self, x):
            return mx.nd.sign(x)

        def backward(self, dy):
            return dy

Good:

    class Net(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.BlockGrad(F.sign(x)) + (x - F.BlockGrad(x))

    class Sign(autograd.Function):
        def forward(self, x):
            return mx.nd.sign(x)

        def backward(self, dy):
            return dy
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import ForeignCall
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.functions.own_backward import by_block_grad
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB609", summary="autograd.Function, whose backward no graph calls", needs_values=True)


@rule.on(ForeignCall)
def check(event: ForeignCall) -> Iterator[Finding]:
    """Report calls of an autograd.Function on a tensor of the block."""
    if event.function == "autograd.Function":
        yield rule.at(
            event.node,
            "an autograd.Function works on arrays: a trace passes it Symbols, and never calls its backward",
            fix=by_block_grad(event) or keep_eager(event),
            help="Write it with F.BlockGrad, or as a custom operator (mx.operator.CustomOp).",
        )
