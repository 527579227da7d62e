"""A function of `mx.nd` is called on a tensor.

`nd.relu(x)` works on arrays. At the trace x is a Symbol, which the function refuses. `F.relu` is the one for both.

Bad:

    return mx.nd.relu(x)  # HYB502

Good:

    return F.relu(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.describe import snippet
from hybridlint.analysis.events import OpCall
from hybridlint.analysis.values import Outputs, Tensor, Value
from hybridlint.fixers.namespaces import through_namespace
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB502", summary="nd function on a tensor")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report functions of nd and mx.np that get a tensor of the block."""
    if event.namespace.root not in {"nd", "np", "npx"} or not any(map(_is_tensor, _values(event))):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} takes NDArrays only, and gets a Symbol once hybridized",
        fix=through_namespace(event),
        help="Call it through F.",
    )


def _values(event: OpCall) -> list[Value]:
    return [*event.arguments.values, *event.arguments.keywords.values()]


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Tensor | Outputs)
