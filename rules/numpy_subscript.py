"""A subscript that Symbols of numpy mode refuse.

In numpy mode integers, slices and tuples of them work. A lone negative integer, `None`, `...`, lists, booleans and
tensors as keys work on arrays and raise when the block is hybridized.

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

from hybridlint.analysis.describe import named, snippet
from hybridlint.analysis.events import Subscript
from hybridlint.analysis.values import ForeignTensor, Items, NumpyArray, Static, Tensor, Value
from hybridlint.fixers.keys import flat_keys, literal
from hybridlint.fixers.numpy_subscripts import numpy_subscript
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB204", summary="subscript that a Symbol of numpy mode refuses")


@rule.on(Subscript)
def check(event: Subscript) -> Iterator[Finding]:
    """Report the keys that only arrays take."""
    if not isinstance(event.value, Tensor) or event.value.mode != "np":
        return
    assert isinstance(event.node, ast.Subscript)
    keys, values = flat_keys(event.keys, event.key_values)
    alone_and_negative = len(keys) == 1 and (literal(keys[0]) == -1 or values[0] == Static(-1))
    if not alone_and_negative and not any(_refused(k, v) for k, v in zip(keys, values, strict=True)):
        return
    yield rule.at(
        event.node,
        f"{named(event.frame, event.node.value, event.value)}: {snippet(event.frame, event.node)} raises once "
        "hybridized",
        fix=numpy_subscript(event),
        help="Use integers and slices, F.np.expand_dims, F.np.take or F.np.where.",
    )


def _refused(key: ast.expr, value: Value) -> bool:
    if isinstance(key, ast.Constant):
        return key.value is None or key.value is Ellipsis or isinstance(key.value, bool)
    if isinstance(value, Items) and value.kind == "tuple" and value.items is not None:
        return any(_refused(key, item) for item in value.items)
    if isinstance(key, ast.List | ast.ListComp) or isinstance(value, Tensor | ForeignTensor | NumpyArray | Items):
        return True
    return isinstance(value, Static) and (value.value is None or value.value is Ellipsis)
