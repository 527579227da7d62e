"""The slope of a PReLU between other operators is trained with another gradient.

In a graph, MXNet writes the gradient of PReLU's data over the incoming gradient, and then computes the gradient of the
slope from that: it is multiplied by the slope, 0.25 at first. Outputs and all other gradients are right, and nothing is
raised. It happens where the data is the result of an operator whose gradient is asked for, and other operators follow,
be it in the block that holds this one; not at the beginning or the end of a network.

Measured:

    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.one = nn.Dense(1, in_units=1)

        def hybrid_forward(self, F, slope, x):
            return F.LeakyReLU(self.one(x), gamma=slope, act_type="prelu") * 2

    >>> slope, x = [0.25], [[-1], [-3], [2]]
    >>> eager(slope, x) == hybridized(slope, x)
    True
    >>> eager.gradient(slope, x)
    [-8]
    >>> hybridized.gradient(slope, x)
    [-2]

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.one = nn.Dense(4)
            self.act = nn.PReLU()
            self.two = nn.Dense(2)

        def hybrid_forward(self, F, x):
            return self.two(self.act(self.one(x)))  # HYB517

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.one = nn.Dense(4)
            self.slope = self.params.get("slope", shape=(1,), init=mx.init.Constant(0.25))
            self.two = nn.Dense(2)

        def hybrid_forward(self, F, x, slope):
            y = self.one(x)
            return self.two(F.relu(y) - F.broadcast_mul(F.relu(-y), slope))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.arguments import constant
from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import BlockCall, OpCall
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB517", summary="slope of a PReLU, trained with another gradient", severity=Severity.INFO)


@rule.on(BlockCall)
def check_layer(event: BlockCall) -> Iterator[Finding]:
    """Report calls of PReLU on results of operators."""
    if event.block.layer == "PReLU" and event.block.info is None:
        yield from _finding(event, event.arguments.values[:1])


@rule.on(OpCall)
def check_operator(event: OpCall) -> Iterator[Finding]:
    """Report calls of LeakyReLU with a learned slope on results of operators."""
    if event.namespace.root != "F" or event.operator is None or event.operator.facts.overwrites_gradient is None:
        return
    params = {name: constant(value) for name, value in event.arguments.keywords.items()}
    if event.operator.may_overwrite_gradient({**event.operator.defaults(), **params}):
        yield from _finding(event, event.arguments.values[:1])


def _finding(event: BlockCall | OpCall, data: tuple[Value, ...]) -> Iterator[Finding]:
    if not data or not isinstance(data[0], Tensor) or data[0].origin != "operator":
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} trains differently once hybridized: between other operators, the "
        "gradient of its slope is multiplied by the slope",
        help="To train the slope as eagerly, compute F.relu(x) - F.broadcast_mul(F.relu(-x), slope).",
    )
