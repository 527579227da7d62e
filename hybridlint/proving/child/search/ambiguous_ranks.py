"""Axes that the code leaves open: inputs of fewer axes that no operator broadcasts, which the compiled run takes.

A layer with `flatten=False` takes arrays of any number of axes. If the code adds an axis to one input, such as
`F.expand_dims(load, axis=2)`, eager runs broadcast it with the last axis of another one that has too many.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.search.chance_sizes import flatters
from hybridlint.proving.child.search.input_choice import FoundInputs, axes_of, of_shapes
from hybridlint.proving.child.unequal_sizes import swaps

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds to search for such inputs, and most that are run compiled.
PATIENCE, MOST = 1.0, 3


def with_fewer_axes(
    found: FoundInputs,
    refusal: Failure,
    others: Iterable[FoundInputs],
    refuses: Callable[[FoundInputs], Failure | None],
) -> FoundInputs | None:
    """Return other inputs of fewer axes that the compiled run takes, None if there are none.

    `refusal` is the compiled run's failure on `found`, where an operator would have to broadcast a size of 1. `others`
    are inputs that the eager run takes; `refuses` returns the compiled run's failure on inputs.
    """
    if not of_shapes(refusal) or not any(1 in pair for pair in swaps(refusal.sentence)):
        return None
    deadline, count = now() + PATIENCE, 0
    for other in others:
        if now() > deadline or count == MOST:
            return None
        if axes_of(other.inputs) < axes_of(found.inputs) and not flatters(other.inputs):
            count += 1
            if refuses(other) is None:
                return other
    return None
