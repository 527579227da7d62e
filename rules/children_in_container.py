"""Children are kept in a list or dict.

Blocks in a plain list or dict are not registered: `initialize`, `collect_params`, `save_parameters` and `hybridize`
do not see them, and a hybridized block that calls one passes it a Symbol for which it has no parameters. Register
them, or keep them in a HybridSequential.

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.stages = [nn.Dense(4), nn.Dense(2)]  # HYB803

        def hybrid_forward(self, F, x):
            for stage in self.stages:
                x = stage(x)
            return x

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.stages = nn.HybridSequential()
                self.stages.add(nn.Dense(4), nn.Dense(2))

        def hybrid_forward(self, F, x):
            for stage in self.stages:
                x = stage(x)
            return x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import ChildDef
from hybridlint.fixers.blocks.children import children_in_dict, children_in_sequential
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB803", summary="children in a list or dict", eager=True)


@rule.on(ChildDef)
def check(event: ChildDef) -> Iterator[Finding]:
    """Report lists, tuples and dicts of blocks in an attribute, whose blocks are not registered as children."""
    if event.container is None:
        return
    yield rule.at(
        event.node,
        f"the blocks in `self.{event.attribute}`, a {event.container}, are not registered as children of {event.owner}",
        fix=children_in_sequential(event) or children_in_dict(event),
        help="Use HybridSequential, or register_child.",
    )
