"""A method that only an NDArray has is called.

Symbols lack `wait_to_read`, `tostype`, `slice_assign` and their kin, and in numpy mode also `any`, `all` and `nonzero`.
They raise AttributeError or NotImplementedForSymbol when the block is hybridized.

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

from hybridlint.analysis.describe import named
from hybridlint.analysis.events import MethodCall
from hybridlint.analysis.surface import NUMPY_METHODS, OTHER_METHODS
from hybridlint.analysis.values import Outputs, Tensor
from hybridlint.fixers.calls import without_method
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB109", summary="method that Symbol lacks")


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report the methods of arrays that no other rule of this family explains."""
    if not isinstance(event.receiver, Tensor | Outputs):
        return
    lacking = OTHER_METHODS | NUMPY_METHODS if event.receiver.mode == "np" else OTHER_METHODS
    if event.name not in lacking:
        return
    receiver = event.node.func.value  # type: ignore[attr-defined]
    yield rule.at(
        event.node,
        f"{named(event.frame, receiver, event.receiver)}: a Symbol has no method `{event.name}`",
        fix=without_method(event),
        help="Use an operator of F; waiting and storage types are the caller's business.",
    )
