"""A method gets a keyword that only NDArray's method has.

`x.astype(dtype, copy=False)` is fine on an array. On a Symbol the method is the operator `cast`, which has no
parameter `copy`, and the call raises.

Bad:

    return x.astype("float16", copy=False)  # HYB111

Good:

    return x.astype("float16")
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.fixers.functions.methods import without_keyword
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB111", summary="keyword that only NDArray's method takes")

_ONLY_NDARRAY = {"astype": "copy", "copy": "ctx"}


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report keyword arguments that a tensor's method takes on an array and not on a Symbol."""
    if not isinstance(event.receiver, Tensor | Outputs) or event.receiver.mode != "legacy":
        return
    keyword = _ONLY_NDARRAY.get(event.name)
    if keyword is None or keyword not in event.arguments.keywords:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: a Symbol's `{event.name}` has no parameter `{keyword}`",
        fix=without_keyword(event, keyword),
        help=f"Leave `{keyword}` out.",
    )
