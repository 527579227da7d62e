"""A Block that could be a HybridBlock.

`hybridize()` leaves a Block as it is: it runs operator by operator, and is neither compiled nor exported. Most Blocks
compute with operators alone, and can be HybridBlocks. `hybridlint hybridize` writes them so, and proves it. This rule
names them; it is used where `HYB811` or `plain-block` selects it.

Bad:

    class Scale(gluon.Block):  # HYB811
        def forward(self, x):
            return nd.relu(x) * 2

Good:

    class Scale(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(x) * 2
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import PlainBlockDef
from hybridlint.fixers.blocks.classes import reads_data
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB811", summary="Block that could be a HybridBlock", severity=Severity.INFO, default=False)


@rule.on(PlainBlockDef)
def check(event: PlainBlockDef) -> Iterator[Finding]:
    """Report Blocks that are not HybridBlocks, except those whose forward reads the data of tensors."""
    assert isinstance(event.node, ast.ClassDef)
    if reads_data(event.forward):
        return
    name, file = event.node.name, event.frame.source.path.name
    yield rule.at(
        event.node,
        f"`{name}` is a Block, which `hybridize()` neither compiles nor exports",
        help=f"`hybridlint hybridize --diff {file}::{name}` shows it as a HybridBlock, with the proof.",
    )
