"""A HybridBlock holds a child that is not hybrid.

`hybridize()` refuses children that are no HybridBlocks, and a Block's `forward`, written for arrays, fails on
Symbols.

Bad:

    class Plain(gluon.Block):
        def forward(self, x):
            return x * 2

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.plain = Plain()  # HYB801

        def hybrid_forward(self, F, x):
            return self.plain(x)

Good:

    class Plain(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * 2

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.plain = Plain()

        def hybrid_forward(self, F, x):
            return self.plain(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import ChildDef
from hybridlint.analysis.model.values import BlockRef
from hybridlint.fixers.blocks.classes import hybrid_lambda, to_hybrid_block
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB801", summary="child that is not a HybridBlock", needs_values=True)


@rule.on(ChildDef)
def check(event: ChildDef) -> Iterator[Finding]:
    """Report children that are surely not hybrid, except Sequential, which the rule `sequential-child` reports."""
    child = event.child
    if not isinstance(child, BlockRef) or child.hybrid is not False or child.layer == "Sequential":
        return
    yield rule.at(
        event.node,
        f"`self.{event.attribute}` is `{child.layer}`, no HybridBlock: `{event.owner}` cannot be hybridized",
        fix=hybrid_lambda(event) or to_hybrid_block(event),
        help="Derive it from HybridBlock and write hybrid_forward(self, F, ...).",
    )
