"""A tensor is copied, or moved to another device.

`copy()`, `copyto()` and `as_in_context()` raise on a Symbol; `as_nd_ndarray()` and `as_np_ndarray()` return it as
it is or raise. Nothing can change a Symbol in place, so that no copy is needed; the device is that of the inputs.

Bad:

    y = x.copy()  # HYB107
    return y * 2

Good:

    y = F.identity(x)
    return y * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.functions.copies import without_copy
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB107", summary="copy of a tensor, or move to a device")

COPYING_METHODS = frozenset({"copy", "copyto", "as_in_context", "as_in_ctx"})


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report methods that copy a tensor or move it to a device, such as ``x.copy()``."""
    if event.name not in COPYING_METHODS or not isinstance(event.receiver, Tensor | Outputs):
        return
    receiver = subject(event.node)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, receiver, event.receiver)}: `{event.name}()` raises on a Symbol",
        fix=without_copy(event),
        help="Use the tensor itself, or F.identity.",
    )
