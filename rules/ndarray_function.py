"""A function of `mx.nd` is called on a tensor.

`nd.relu(x)` works on arrays. At the trace x is a Symbol, which the function refuses. `F.relu` is the one for both. So
do the functions that MXNet has written in Python for arrays: `mx.image.imresize`, `gluon.utils.split_data`, a metric's
`update`, or a method of the class, `NDArray.sum(x)`.

Bad:

    return mx.nd.relu(x)  # HYB502

Good:

    return F.relu(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.arguments import tensors_in
from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import ForeignCall, OpCall
from hybridlint.analysis.model.values import CapturedArray
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.functions.methods import method_of_tensor
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.functions.namespace_defaults import functions_given
from hybridlint.fixers.functions.namespaces import is_called_there, through_namespace
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB502", summary="nd function on a tensor")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report functions of nd and mx.np that get a tensor of the block, alone or in a list."""
    given = tensors_in([*event.arguments.values, *event.arguments.keywords.values()])
    if event.namespace.root not in {"nd", "np", "npx"} or all(isinstance(v, CapturedArray) for v in given):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} takes NDArrays only, and gets a Symbol once hybridized",
        fix=functions_given(event.frame)
        or through_namespace(event)
        or functions_passed(event.frame)
        or method_of_tensor(event),
        otherwise=lambda: keep_eager(event) if is_called_there(event) else None,
        help="Call it through F.",
    )


@rule.on(ForeignCall)
def check_library(event: ForeignCall) -> Iterator[Finding]:
    """Report functions that MXNet has written in Python for arrays, such as ``mx.image.imresize``."""
    if event.function.startswith("mxnet."):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} takes NDArrays only, and gets a Symbol once hybridized",
            otherwise=lambda: keep_eager(event),
            help="Use an operator of F, or do it outside of the block.",
        )
