"""A block with parameters is called that is no child.

A hybridized block passes its own parameters, and those of its children, to the graph. A layer that `hybrid_forward`
itself builds, or that the module keeps as a global, is none of them: eagerly it works, and the trace raises "Unknown
input to HybridBlock". Layers without parameters, such as activations, may be built anywhere.

Bad:

    projection = nn.Dense(3, in_units=3)
    projection.initialize()
    return projection(x)  # HYB809

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.projection = nn.Dense(3, in_units=3)

        def hybrid_forward(self, F, x):
            return self.projection(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import BlockCall
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB809", summary="call of a block with parameters that is not a child")


@rule.on(BlockCall)
def check(event: BlockCall) -> Iterator[Finding]:
    """Report calls of blocks with parameters that are not children of the calling block."""
    if event.stray:
        yield rule.at(
            event.node,
            f"this {event.block.layer or 'block'} is not a child: once hybridized, its parameters are unknown inputs",
            help="Build it in __init__, as an attribute of the block.",
        )
