"""The shape of a tensor is read.

A Symbol represents a tensor that does not exist yet: it has no `shape`, `size` or `ndim`, and reading one raises
AttributeError at the first call after `hybridize()`. Reshape takes codes instead of sizes (`0` keeps a dimension,
`-1` is inferred, `-3` merges two), and operators such as `reshape_like`, `zeros_like`, `slice_like` and
`broadcast_like` take the tensor itself. What the model's author knows anyway (the number of classes, say) belongs
in `__init__`.

Bad:

    # hybridlint: shapes(x=("N", 3, 8))
    flat = x.reshape((x.shape[0], -1))  # HYB101
    mask = F.zeros(x.shape)  # HYB101
    return F.concat(flat, mask.reshape((0, -1)), dim=1)

Good:

    # hybridlint: shapes(x=("N", 3, 8))
    flat = x.reshape((0, -1))
    mask = F.zeros_like(x)
    return F.concat(flat, mask.reshape((0, -1)), dim=1)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import AttributeRead
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression, lack, takes_default
from hybridlint.analysis.mxnet.size_advice import size_advice
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.shapes.shape_reads import without_shape
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB101", summary="shape, size or ndim of a tensor")

SHAPE_ATTRIBUTES = frozenset({"shape", "size", "ndim"})


@rule.on(AttributeRead)
def check(event: AttributeRead) -> Iterator[Finding]:
    """Report ``shape``, ``size`` and ``ndim`` of a tensor; parameters are left to the rule `parameter-attribute`."""
    if event.name not in SHAPE_ATTRIBUTES or not isinstance(event.value, Tensor | Outputs):
        return
    if isinstance(event.value, Tensor) and event.value.origin == "parameter":
        return
    fix = without_shape(event) or functions_passed(event.frame)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, subject(event.node), event.value)}: {lack(event.node, event.name)}",
        fix=fix,
        otherwise=lambda: keep_eager(event, always=not takes_default(event.node)),
        help=size_advice(event, fixed=fix is not None and not fix.kind.is_tentative),
    )
