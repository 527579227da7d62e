"""A HybridBlock holds a Sequential.

`Sequential` is not hybrid: a block that has one as its child cannot be hybridized. `HybridSequential` takes the
same layers.

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.Sequential()  # HYB802
                self.body.add(nn.Dense(4))

        def hybrid_forward(self, F, x):
            return self.body(x)

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.HybridSequential()
                self.body.add(nn.Dense(4))

        def hybrid_forward(self, F, x):
            return self.body(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import ChildDef
from hybridlint.analysis.model.values import BlockRef
from hybridlint.fixers.blocks.classes import hybrid_sequential
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB802", summary="Sequential in a HybridBlock")


@rule.on(ChildDef)
def check(event: ChildDef) -> Iterator[Finding]:
    """Report ``nn.Sequential`` as a child of a HybridBlock."""
    if not isinstance(event.child, BlockRef) or event.child.layer != "Sequential":
        return
    yield rule.at(
        event.node,
        f"`self.{event.attribute}` is a Sequential, which is not a HybridBlock: {event.owner} cannot be hybridized",
        fix=hybrid_sequential(event),
        help="Use HybridSequential.",
    )
