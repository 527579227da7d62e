"""The choice of calls for a slow block: as many as fit into the time limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.proving.child.runs.runs import PlannedCall

#: Duration of a call with its gradient, in units of a call without.
_WITH_GRADIENT = 5.0
#: Least number of runs: eager and compiled.
_RUNS = 2
#: The fraction of the remaining time that these runs may take.
_SHARE = 0.7
#: The fraction of the remaining time after which the eager run begins no further call.
EAGERLY = 0.35


def affordable(calls: Sequence[PlannedCall], seconds: float, left: float, building: float = 0.0) -> list[PlannedCall]:
    """Return the calls that fit into the time left, if a call without gradient takes `seconds`.

    `left` is in seconds. `building` is the time in seconds to build a block; the gradients of its parameters take about
    as long in each call. If not all calls fit, these remain: one in predict mode for each of two sizes and one in train
    mode, or those in predict mode only, or a single one.
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
