"""A function that F has in eager runs only.

`F` is `mx.nd` eagerly and `mx.sym` at the trace. Some functions exist in `mx.nd` alone: `array`, `empty`, `add`, `subtract`, `multiply`, `divide`,
`modulo`, the comparisons `equal`, `greater`, `lesser` and their kin, `logical_and`, `concatenate`, `moveaxis`, `contrib.isnan`. Looking
them up on `mx.sym` raises AttributeError.

Bad:

    total = F.add(x, y)  # HYB501
    return F.multiply(total, 2)  # HYB501

Good:

    total = F.broadcast_add(x, y)
    return total * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.events import OpCall
from hybridlint.analysis.surface import lacks_function
from hybridlint.fixers.functions import from_ndarray_only
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB501", summary="function that only nd has")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report what F has as mx.nd and lacks as mx.sym."""
    if event.namespace.root != "F" or not lacks_function(event.namespace.path, event.name):
        return
    name = ".".join(("F", *event.namespace.path, event.name))
    yield rule.at(
        event.node,
        f"`{name}` exists in mx.nd and not in mx.sym: it raises AttributeError once hybridized",
        fix=from_ndarray_only(event),
        help="Use the operator of Python, or the operator of F that starts with broadcast_.",
    )
