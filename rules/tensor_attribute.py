"""An attribute that only an NDArray has is read.

`dtype`, `context`, `stype` and `grad` belong to an array that exists. A Symbol has none of them: reading one raises
AttributeError when the block is hybridized. So do `data`, `indices` and `indptr`, which arrays in sparse storage have:
their caller takes them apart, and hands the parts to the block. The creation operators that end in `_like` take dtype
and device from their argument; a dtype that must be known belongs in `__init__`.

Bad:

    scale = F.cast(y, x.dtype)  # HYB103
    return x * scale

Good:

    scale = F.cast(y, "float32")
    return x * scale
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import AttributeRead
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression, lack, takes_default
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.shapes.shape_reads import without_attribute
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import Lack, tensor_lack

rule = Rule(__name__, code="HYB103", summary="dtype, context or another attribute of NDArray")

_OTHER_RULES = frozenset({"shape", "size", "ndim", "T", "__abs__", "__invert__"})


@rule.on(AttributeRead)
def check(event: AttributeRead) -> Iterator[Finding]:
    """Report attributes that an array has and a Symbol lacks, such as its data or its device."""
    # Methods that raise are there to be read; calling them is another event.
    if not isinstance(event.value, Tensor | Outputs) or tensor_lack(event.name, event.value.mode) is not Lack.MISSING:
        return
    if event.name in _OTHER_RULES:
        return
    if isinstance(event.value, Tensor) and event.value.origin == "parameter":
        return
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, subject(event.node), event.value)}: {lack(event.node, event.name)}",
        fix=without_attribute(event),
        otherwise=lambda: keep_eager(event, always=not takes_default(event.node)),
        help="Operators that end in _like take dtype and device from their argument.",
    )
