"""A recurrent cell is given a state that is not in a list.

A cell takes the list of its states and reads `states[0]`. Of a tensor that is the first row, with which the cell raises
eagerly; at the trace it is the whole tensor, because indexing a Symbol selects an output, and the hybridized block
runs. The two runs differ, and nothing tells so where the block is only tried hybridized.

Bad:

    class Step(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.cell = gluon.rnn.GRUCell(4, input_size=4)

        def hybrid_forward(self, F, x):
            out, _ = self.cell(x, F.zeros_like(x))  # HYB520
            return out

Good:

    class Step(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.cell = gluon.rnn.GRUCell(4, input_size=4)

        def hybrid_forward(self, F, x):
            out, _ = self.cell(x, [F.zeros_like(x)])
            return out
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import BlockCall
from hybridlint.analysis.model.values import Tensor, Unknown, Value
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.blocks.cell_states import in_list, is_one_state, keeps_states
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB520", summary="state of a recurrent cell that is not in a list")


@rule.on(BlockCall)
def check(event: BlockCall) -> Iterator[Finding]:
    """Report calls of recurrent cells whose states are a tensor."""
    layers = [layer_of(one) for one in event.block.known]
    if event.unrolled or not all(layer is not None and layer.has_states for layer in layers):
        return
    for node, value in [*zip(event.arguments.nodes, event.arguments.values, strict=True)][1:2]:
        severity = _severity(event, node, value)
        if severity is not None:
            yield rule.at(
                node,
                f"{snippet(event.frame, event.node)} raises eagerly: the cell takes a list of states, and "
                f"{snippet(event.frame, node)} is a tensor",
                severity=severity,
                fix=in_list(event, node),
                help="Give the state in a list.",
            )


def _severity(event: BlockCall, node: ast.expr, value: Value) -> Severity | None:
    """Return how certain it is that a state is a tensor. An operator's result is, an argument may be a list."""
    if isinstance(value, Tensor) and not value.optional and not value.presumed:
        if value.origin not in {"argument", "element"}:
            return Severity.ERROR
        return None if keeps_states(event) else Severity.WARNING
    return Severity.WARNING if isinstance(value, Unknown) and is_one_state(event, node) else None
