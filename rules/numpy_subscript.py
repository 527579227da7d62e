"""A subscript that Symbols of numpy mode refuse.

Symbols of numpy mode take integers, slices and tuples of them. Other subscripts work on arrays and raise once
hybridized: `x[-1]`, `None`, `...`, lists, booleans, tuples inside a tuple, and tensors as keys or bounds of slices.

Bad:

    mx.npx.set_np()

    class Last(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.np.exp(x[-1])  # HYB204

Good:

    mx.npx.set_np()

    class Last(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.np.exp(F.np.squeeze(x[-1:], axis=0))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.analysis.mxnet.operators.keys import is_lone_last, refusal
from hybridlint.analysis.syntax.keys import key_of
from hybridlint.fixers.indexing.numpy_subscripts import numpy_subscript
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB204", summary="subscript that a Symbol of numpy mode refuses")


@rule.on(Subscript)
def check(event: Subscript) -> Iterator[Finding]:
    """Report subscripts that arrays of numpy mode accept and their Symbols refuse."""
    if not isinstance(event.value, Tensor) or event.value.mode != "np":
        return
    assert isinstance(event.node, ast.Subscript)
    key = key_of(event.node.slice, event.key_values)
    if refusal(key) is None and not is_lone_last(key):
        return
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, event.node.value, event.value)}: "
        f"{snippet(event.frame, event.node)} raises once "
        "hybridized",
        fix=numpy_subscript(event),
        help="Use integers and slices, F.np.expand_dims, F.np.take or F.np.where.",
    )
