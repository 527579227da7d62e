"""A tensor is reshaped with several integers.

NDArray takes `x.reshape(2, 3)`. The Symbol of legacy mode takes the first integer for the whole shape and the second
for another parameter of the operator: `x.reshape(-1, 1)` is flat there, without any error, and `x.reshape(2, 3)`
raises. A tuple works in both.

Bad:

    return x.reshape(0, -1)  # HYB110

Good:

    return x.reshape((0, -1))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.fixers.shapes.reshapes import tuple_argument
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB110", summary="reshape with several integers")

#: Methods of NDArray that collect their positional arguments, where Symbol's have parameters.
_COLLECTING = frozenset({"reshape"})


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report ``x.reshape(2, 3)`` in legacy mode: only the method of NDArray takes several integers."""
    if event.name not in _COLLECTING or not isinstance(event.receiver, Tensor | Outputs):
        return
    given = event.arguments
    twice = len(given.nodes) == 1 and "shape" in given.keywords
    if event.receiver.mode != "legacy" or (len(given.nodes) < 2 and not twice):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} raises on a Symbol or is of another shape: only the first argument is the "
        "shape there",
        fix=None if twice else tuple_argument(event),
        help="Write the sizes as a tuple.",
    )
