"""The calls of a block that takes long: as many as the time limit leaves room for, the most telling ones first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.proving.child.runs.runs import Call

#: What a call with its gradient takes, in calls without.
_WITH_GRADIENT = 5.0
#: How often the calls are run at least: eagerly and compiled.
_RUNS = 2
#: The part of the time that is left that these runs may take.
_SHARE = 0.7
#: The part of it after which the eager run begins no other call.
EAGERLY = 0.35


def affordable(calls: Sequence[Call], seconds: float, left: float, building: float = 0.0) -> list[Call]:
    """Return the calls that can be made in the time that is left, where one without gradient takes `seconds`.

    `building` are the seconds that a block with its parameters takes, and about what their gradients take each time.
    All that can be; else predicting in both sizes, and training in the first; else predicting only.
    """
    first = [call for call in calls if call.sizes == calls[0].sizes]
    others = [call for call in calls if call.sizes != calls[0].sizes]
    plain = [call for call in [*first[:1], *others[:1]] if call.mode == "predict"]
    trained = [call for call in first if call.mode == "train"][:1]
    for chosen in (list(calls), [*plain, *trained], plain):
        cost = building + sum(
            seconds if call.mode == "predict" else _WITH_GRADIENT * seconds + building for call in chosen
        )
        if _RUNS * cost <= _SHARE * left:
            return chosen
    return plain[:1]
