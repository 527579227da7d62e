"""An attribute of a parameter's argument is read.

The arguments of `hybrid_forward` that are named after parameters are Symbols once hybridized, without shape or dtype.
The Parameter itself, on `self`, keeps them, and its shape is known before the block is traced.

Bad:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(3, 2))

        def hybrid_forward(self, F, x, weight):
            return F.dot(x, weight) / weight.shape[0]  # HYB102

Good:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(3, 2))

        def hybrid_forward(self, F, x, weight):
            return F.dot(x, weight) / self.weight.shape[0]
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import AttributeRead
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.blocks.parameters import read_from_parameter
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import tensor_lack

rule = Rule(__name__, code="HYB102", summary="attribute of a parameter's argument")


@rule.on(AttributeRead)
def check(event: AttributeRead) -> Iterator[Finding]:
    """Report attributes that a parameter's argument lacks and the Parameter, ``self.weight``, has."""
    if not isinstance(event.value, Tensor) or event.value.origin != "parameter":
        return
    if tensor_lack(event.name, event.value.mode) is None or event.name == "T":
        return
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, subject(event.node), event.value)}: as a Symbol it has no `{event.name}`",
        fix=read_from_parameter(event),
        help="Read it from the Parameter on self.",
    )
