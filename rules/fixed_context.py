"""A creation function names one device.

An array of `F.zeros(shape, ctx=mx.cpu())` is on that device eagerly, wherever the inputs are: an eager run on a GPU
raises, as operators take arrays of one context. A graph puts constants where its inputs are, whatever `ctx` says.
Without a context both do: in `hybrid_forward` the current context is that of the first input. The forms that end in
`_like` take it from their argument. This rule is for programs that run blocks on several devices; it is used where
`HYB518` or `fixed-context` selects it.

Bad:

    # hybridlint: shapes(x=(2, 3))
    return F.zeros((2, 3), ctx=mx.cpu()) + x  # HYB518

Good:

    # hybridlint: shapes(x=(2, 3))
    return F.zeros((2, 3)) + x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.fixers.functions.devices import names_device
from hybridlint.fixers.functions.one_mode import context_argument
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.runtime.facts import lookup

rule = Rule(
    __name__,
    code="HYB518",
    summary="creation function on a fixed device",
    severity=Severity.WARNING,
    default=False,
)


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report creation functions of F that name a device."""
    if event.namespace.root != "F" or event.namespace.path or not lookup.makes_array(event.name):
        return
    given = event.arguments.keyword_nodes.get("ctx")
    if given is None or not names_device(given):
        return
    if context_argument(event) is not None:
        return  # no graph takes it, which is another finding
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} is on `{event.frame.source.code(given)}` eagerly, whatever device the "
        "inputs are on",
        help="Leave the context out: the array is where the first input is, in both modes.",
    )
