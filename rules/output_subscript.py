"""The outputs of an operator are counted from the end, reversed, or beyond their number.

The several outputs of `F.split` and its kin are a list eagerly and one Symbol at the trace, which takes
non-negative integers and forward slices within its outputs only: `outs[-1]`, `outs[::-1]` and `outs[1:10]` raise
when the block is hybridized.

Bad:

    parts = F.split(x, num_outputs=3, axis=1)
    return parts[-1]  # HYB203

Good:

    parts = F.split(x, num_outputs=3, axis=1)
    return parts[2]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import Outputs
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.blocks.outputs import refuses_key, select_output
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB203", summary="negative or wrong index among an operator's outputs")


@rule.on(Subscript)
def check(event: Subscript) -> Iterator[Finding]:
    """Report subscripts of several outputs that a list accepts and a Symbol refuses."""
    if not isinstance(event.value, Outputs) or event.value.mode != "legacy" or not refuses_key(event):
        return
    assert isinstance(event.node, ast.Subscript)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, event.node.value, event.value)}: "
        f"{snippet(event.frame, event.node)} raises on a Symbol",
        fix=select_output(event),
        help="Count from the front, or make a list first: `list(...)`.",
    )
