"""A method that only an NDArray has is called.

Symbols lack `wait_to_read`, `tostype`, `slice_assign` and their kin, what arrays in sparse storage have (`retain`,
`asscipy`, `check_format`; `F.sparse.retain` is there in both modes), and in numpy mode also `any`, `all` and
`nonzero`. They raise AttributeError or NotImplementedForSymbol when the block is hybridized.

Bad:

    y = x * 2
    y.wait_to_read()  # HYB109
    return y

Good:

    y = x * 2
    return y
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.functions.methods import without_method
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import tensor_lack

rule = Rule(__name__, code="HYB109", summary="method that Symbol lacks")

_OTHER_RULES = frozenset(
    {
        *("asnumpy", "asscalar", "item", "tolist", "copy", "copyto", "as_in_context", "as_in_ctx"),
        *("detach", "attach_grad", "backward"),
    }
)


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report methods that arrays have and Symbols lack, unless a more specific rule reports them."""
    if not isinstance(event.receiver, Tensor | Outputs) or event.name in _OTHER_RULES:
        return
    if tensor_lack(event.name, event.receiver.mode) is None:
        return
    receiver = subject(event.node)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, receiver, event.receiver)}: a Symbol has no method `{event.name}`",
        fix=without_method(event),
        help="Use an operator of F; leave waiting and storage types to the caller.",
    )
