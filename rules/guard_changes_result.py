"""A test of the kind of array changes the result.

`isinstance(x, NDArray)`, `hasattr(x, "shape")`, `F is mx.nd` and their kin are true in one mode and false in the
other. Where both ways compute the same, such a guard is fine. Here they do not: the block gives another result once
hybridized, and nothing is raised. A `try` whose body only arrays come through is such a guard too: its handler is
what the hybridized block does.

Measured:

    return x * 2 if F is mx.nd else x * 3

    >>> x = [1, 2]
    >>> eager(x)
    [2, 4]
    >>> hybridized(x)
    [3, 6]

Bad:

    return x * 2 if F is mx.nd else x * 3  # HYB406

Good:

    return x * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.describe import snippet
from hybridlint.analysis.events import Binary, Guard
from hybridlint.analysis.values import Divergent, Static, Tensor, Value
from hybridlint.fixers.attempts import eager_way
from hybridlint.fixers.control_flow import eager_side
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB406", summary="guard on the kind of array that changes the result")


@rule.on(Guard)
def check(event: Guard) -> Iterator[Finding]:
    """Report guards whose two ways are proved to differ."""
    if not event.differs:
        return
    what = "raises" if event.raises else "is answered otherwise"
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} {what} once hybridized, and the two ways do not compute the same",
        fix=eager_way(event.frame) if event.raises else eager_side(event),
        help="Compute the same in both modes.",
    )


@rule.on(Binary)
def check_operand(event: Binary) -> Iterator[Finding]:
    """Report tensors beside a number that is another one at the trace."""
    sides = ((event.left, event.right, event.right_node), (event.right, event.left, event.left_node))
    for tensor, other, node in sides:
        numbers = _numbers(other) if isinstance(tensor, Tensor) else None
        if numbers is not None and numbers[0] != numbers[1]:
            yield rule.at(
                event.node,
                f"{snippet(event.frame, node)} is {numbers[0]} eagerly and {numbers[1]} once hybridized",
                help="Compute the same in both modes.",
            )


def _numbers(value: Value) -> tuple[float, float] | None:
    """Return what a number is in each run, where it depends on that."""
    match value:
        case Divergent(eager=Static(value=int() | float() as eager), traced=Static(value=int() | float() as traced)):
            return None if isinstance(eager, bool) or isinstance(traced, bool) else (eager, traced)
        case _:
            return None
