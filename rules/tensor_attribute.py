"""An attribute that only an NDArray has is read.

`dtype`, `context`, `stype` and `grad` belong to an array that exists. A Symbol has none of them: reading one raises
AttributeError when the block is hybridized. The creation operators that end in `_like` take dtype and device from
their argument; a dtype that must be known belongs in `__init__`.

Bad:

    scale = F.cast(y, x.dtype)  # HYB103
    return x * scale

Good:

    scale = F.cast(y, "float32")
    return x * scale
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.describe import named
from hybridlint.analysis.events import AttributeRead
from hybridlint.analysis.surface import OTHER_ATTRIBUTES
from hybridlint.analysis.values import Outputs, Tensor
from hybridlint.fixers.shapes import without_attribute
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB103", summary="dtype, context or another attribute of NDArray")


@rule.on(AttributeRead)
def check(event: AttributeRead) -> Iterator[Finding]:
    """Report what only an array in memory knows of itself."""
    if event.name not in OTHER_ATTRIBUTES or not isinstance(event.value, Tensor | Outputs):
        return
    if isinstance(event.value, Tensor) and event.value.origin == "parameter":
        return
    yield rule.at(
        event.node,
        f"{named(event.frame, event.node.value, event.value)}: a Symbol has no `{event.name}`",  # type: ignore[attr-defined]
        fix=without_attribute(event),
        help="Operators that end in _like take dtype and device from their argument.",
    )
