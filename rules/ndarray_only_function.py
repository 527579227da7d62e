"""A function that F has in eager runs only.

`F` is `mx.nd` eagerly and `mx.sym` at the trace. Some functions exist in `mx.nd` alone: `array`, `empty`, `add`,
`subtract`, `multiply`, `divide`, `modulo`, the comparisons `equal`, `greater`, `lesser` and their kin,
`logical_and`, `concatenate`, `moveaxis`, `contrib.isnan`. Looking them up on `mx.sym` raises AttributeError.

Bad:

    total = F.add(x, y)  # HYB501
    return F.multiply(total, 2)  # HYB501

Good:

    total = F.broadcast_add(x, y)
    return total * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import AttributeRead, OpCall
from hybridlint.analysis.model.values import Namespace
from hybridlint.fixers.functions.one_mode import from_ndarray_only
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import namespace_lacks

rule = Rule(__name__, code="HYB501", summary="function that only nd has")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report calls of functions that ``mx.nd`` has and ``mx.sym`` lacks."""
    if event.namespace.root != "F" or not namespace_lacks(event.namespace.path, event.name):
        return
    name = ".".join(("F", *event.namespace.path, event.name))
    yield rule.at(
        event.node,
        f"`{name}` exists in mx.nd and not in mx.sym: it raises AttributeError once hybridized",
        fix=from_ndarray_only(event),
        help="Use the operator of Python, or the operator of F that starts with broadcast_.",
    )


@rule.on(OpCall)
def check_operator(event: OpCall) -> Iterator[Finding]:
    """Report operators that cannot make a Symbol, because they change their arguments."""
    if event.namespace.root != "F" or event.operator is None or not event.operator.facts.eager_only:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} changes its arguments: no Symbol can be made of it",
        help="Do it outside of the block, with an optimizer.",
    )


@rule.on(AttributeRead)
def check_read(event: AttributeRead) -> Iterator[Finding]:
    """Report attributes of F that ``mx.sym`` lacks, where the code reads them without a call."""
    if not isinstance(event.value, Namespace) or event.value.root != "F":
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} exists in mx.nd and not in mx.sym: it raises AttributeError once "
        "hybridized",
        help="Use a function that both have.",
    )
