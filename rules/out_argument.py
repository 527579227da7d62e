"""An operator gets `out`.

In `mx.nd` the result is written into the array given as `out`. `mx.sym` ignores the argument: the array keeps its old
value, and nothing is raised.

Measured:

    z = F.zeros_like(x)
    F.relu(x, out=z)
    return z

    >>> x = [-1, 2, 3]
    >>> eager(x)
    [0, 2, 3]
    >>> hybridized(x)
    [0, 0, 0]

Bad:

    z = F.zeros_like(x)
    F.relu(x, out=z)  # HYB507
    return z + x

Good:

    z = F.zeros_like(x)
    z = F.relu(x)
    return z + x
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MethodCall, OpCall
from hybridlint.analysis.model.values import Namespace, StaticValue, Tensor
from hybridlint.fixers.functions.one_mode import assign_out
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB507", summary="out argument, ignored once hybridized")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report ``out=z`` in a call of a function of F."""
    out = event.arguments.keyword_nodes.get("out")
    if out is None or event.namespace.root != "F" or event.arguments.keywords["out"] == StaticValue(None):
        return
    yield rule.at(
        event.node,
        f"`out` is ignored once hybridized: {snippet(event.frame, out)} keeps its old value",
        fix=assign_out(event, out),
        help="Bind a name to the result.",
    )


@rule.on(MethodCall)
def check_method(event: MethodCall) -> Iterator[Finding]:
    """Report ``out=z`` in a call of a tensor's method."""
    out = event.arguments.keyword_nodes.get("out")
    if out is None or not isinstance(event.receiver, Tensor) or event.arguments.keywords["out"] == StaticValue(None):
        return
    yield rule.at(
        event.node,
        f"`out` is ignored once hybridized: {snippet(event.frame, out)} keeps its old value",
        help="Bind a name to the result.",
    )


@rule.on(OpCall)
def check_copy(event: OpCall) -> Iterator[Finding]:
    """Report ``F.np.nan_to_num(x, copy=False)``, whose output is its input."""
    given = event.arguments.keywords.get("copy", StaticValue(True))
    if event.namespace == Namespace("F", ("np",)) and event.name == "nan_to_num" and given == StaticValue(False):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} writes into its input eagerly, but not once hybridized",
            help="Leave `copy` out, and bind a name to the result.",
        )
