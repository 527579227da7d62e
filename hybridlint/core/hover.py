"""The inferred value of an expression of a file, for editors."""

from __future__ import annotations

from hybridlint.core.diagnostic import SourceLocation
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class AxisSource:
    """Where an axis of a tensor comes from: `row` is the row of the expression that makes it, None for an argument."""

    number: int
    size: str
    origin: str
    row: int | None


@record(frozen=True, slots=True)
class HoverInfo:
    """An expression or name, what it holds, and the shape of a tensor.

    `bound` says that it is assigned, or an argument. `axes` tells where each axis of a tensor comes from, if it comes
    from elsewhere.
    """

    location: SourceLocation
    end_location: SourceLocation
    text: str
    told: str
    shape: str | None
    bound: bool
    axes: tuple[AxisSource, ...] = ()
