"""A tensor is reshaped to no dimensions.

Legacy mode has no tensors of rank 0: an array accepts `reshape(())` and a hybridized block raises when the result
is read.

Bad:

    # hybridlint: shapes(x=(1,))
    return x.reshape(())  # HYB112

Good:

    # hybridlint: shapes(x=(1,))
    return x.reshape((1,))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import ContainerValue, Outputs, StaticValue, Tensor
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB112", summary="reshape to no dimensions")


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report ``x.reshape(())`` in legacy mode."""
    if event.name != "reshape" or not isinstance(event.receiver, Tensor | Outputs) or event.receiver.mode != "legacy":
        return
    shape = event.arguments.values[0] if event.arguments.values else event.arguments.keywords.get("shape")
    if shape == StaticValue(()) or (isinstance(shape, ContainerValue) and shape.items == ()):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)}: a hybridized block has no tensors without dimensions",
            help="Keep one dimension: `reshape((1,))`.",
        )
