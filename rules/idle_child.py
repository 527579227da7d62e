"""A child with parameters is never called.

The first call of a hybridized block infers the sizes of all parameters from its graph. A layer that is made in
`__init__` and never called is not in the graph: where another layer's sizes wait for that call (`Dense` without
`in_units`, `Conv2D` without `in_channels`), MXNet raises "Deferred initialization failed because shape cannot be
inferred", and names a parameter of the unused layer. Eagerly, each layer infers its own, and nothing is said.

A setting that leaves out the call of a layer does the same, where the layer is made all the same, and so does a call
whose result reaches no output.

Call the layer, or do not make it. A layer that is kept for weights in a file needs all of its sizes in the constructor,
and so do all other layers of the block.

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(4)
                self.norm = nn.BatchNorm()  # HYB815

        def hybrid_forward(self, F, x):
            return F.relu(self.dense(x))

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(4)
                self.norm = nn.BatchNorm()

        def hybrid_forward(self, F, x):
            return F.relu(self.norm(self.dense(x)))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import ChildDef, UnusedResult
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB815", summary="child with parameters that is never called")


@rule.on(ChildDef)
def check(event: ChildDef) -> Iterator[Finding]:
    """Report children that no code calls, in blocks whose first call infers the sizes of others."""
    if event.idle is None:
        return
    where = f" with `{event.idle}`" if event.idle else ""
    yield rule.at(
        event.node,
        f"`self.{event.attribute}` is never called{where}: the first call of the hybridized {event.owner} raises "
        "without sizes for its parameters",
        help="Call it, or do not make it.",
    )


@rule.on(UnusedResult)
def check_result(event: UnusedResult) -> Iterator[Finding]:
    """Report calls of children for nothing, in blocks whose first call infers the sizes of others."""
    yield rule.at(
        event.node,
        f"no output uses the result of `{event.child}`: the first call of the hybridized {event.owner} raises "
        "without sizes for its parameters",
        help="Use the result, or do not make the child.",
    )
