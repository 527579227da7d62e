"""An attribute of a tensor is written.

Arrays carry state (`grad`, `shape`, names given by users); Symbols are nodes of a graph. Setting an attribute of a
Symbol raises, or the value is lost after the trace; the compiled graph never has it.

Bad:

    y = x * 2
    y.scale = 2  # HYB105
    return y

Good:

    y = x * 2
    return y
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import AttributeStore
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import tensor_lack

rule = Rule(__name__, code="HYB105", summary="store on an attribute of a tensor")


@rule.on(AttributeStore)
def check(event: AttributeStore) -> Iterator[Finding]:
    """Report every store on a tensor's attribute."""
    if not isinstance(event.value, Tensor | Outputs):
        return
    # Arrays and Symbols of numpy mode keep whatever is stored under a name that is not theirs.
    if event.value.mode == "np" and tensor_lack(event.name, "np") is None and event.name != "T":
        return
    yield rule.at(
        event.node,
        f"the value stored in `{event.name}` is lost once hybridized: "
        f"{describe_expression(event.frame, subject(event.node), event.value)}",
        help="Keep the value in a local name, or return it.",
    )
