"""The time of one call: eager, of the block before the fix, and compiled, of the block after it."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.blocks import Names, build
from hybridlint.proving.child.runs.runs import flat_arrays, inputs_of
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.proving.child.compare.comparison_state import Comparison
    from hybridlint.proving.child.runs.variants import BlockVersion

#: The median of so many calls is returned; no further one begins after so many seconds.
_CALLS, _PATIENCE = 25, 0.5


def call_seconds(trial: Comparison) -> tuple[float, float] | None:
    """Return the seconds of a call: eager before the fix, and compiled after it.

    None if no time is left, or the call fails.
    """
    if trial.late():
        return None
    trial.report_stage(Stage("measuring the time of a call"))
    try:
        return _median(trial, trial.before, compiled=False), _median(trial, trial.judged, compiled=True)
    except Exception:
        return None


def _median(trial: Comparison, side: BlockVersion, *, compiled: bool) -> float:
    block = build(side.world, side.cls, *trial.setup.arguments)
    Names(block, trial.plan.reference).set(side.world, trial.plan.values)
    if compiled:
        block.hybridize(static_alloc=True, static_shape=True)
    inputs = inputs_of(side.world, trial.setup.inputs, trial.calls[0])
    for _ in range(2):
        _call(block, inputs)
    taken: list[float] = []
    until = time.perf_counter() + _PATIENCE
    while len(taken) < _CALLS and (not taken or time.perf_counter() < until):
        start = time.perf_counter()
        _call(block, inputs)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def _call(block: Any, inputs: Sequence[Any]) -> None:
    outputs = block(*inputs)
    for leaf in flat_arrays(outputs if isinstance(outputs, (list, tuple)) else [outputs]):
        leaf.wait_to_read()
