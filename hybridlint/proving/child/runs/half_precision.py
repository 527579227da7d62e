"""Runs in float16: their plan, and a comparison that allows for rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.runs.casting import cast_plan
from hybridlint.proving.child.runs.results import ResultDifference, first_difference
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall

#: The dtype of these runs.
HALF = "float16"
#: Two runs in float16 may differ by this many times the rounding error of float16 itself.
ROUNDINGS = 4.0
#: The largest effect of rounding that is allowed, as a fraction of the largest value.
MOST_ROUNDING = 0.05


def half_plan(plan: CallPlan) -> CallPlan:
    """Return the plan with float16 in place of float32 inputs, and with only the calls of one flavour."""
    first = plan.calls[0].flavour
    calls = [call for call in plan.calls if call.flavour == first]
    return cast_plan(plan, HALF)._replace(calls=calls)


def unusable(observations: Sequence[Observation], full: Mapping[PlannedCall, Observation]) -> str | None:
    """Return the reason why eager float16 runs cannot be the reference, None if they can; `full` has float32 runs."""
    first = observations[0].failure
    if first is not None:
        return f"eagerly it fails: {first.sentence}"
    if any(_overflows(full[o.call].results, o.results) for o in observations if o.call in full):
        return "it overflows"
    return None


def _overflows(full: Mapping[str, Any], half: Mapping[str, Any]) -> bool:
    pairs = [(full.get(name), value) for name, value in half.items()]
    arrays = [
        (f, h) for f, h in pairs if isinstance(f, np.ndarray) and isinstance(h, np.ndarray) and h.dtype.kind == "f"
    ]
    return any(f.shape == h.shape and (np.isfinite(f) & ~np.isfinite(h)).any() for f, h in arrays)


def half_difference(full: Observation, expected: Observation, found: Observation) -> ResultDifference | None:
    """Return the first difference between two float16 runs beyond rounding; `full` is the same call in float32."""
    expected_, found_ = dict(expected.results), dict(found.results)
    for name, value in expected.results.items():
        if _within_rounding(full.results.get(name), value, found_.get(name)):
            del expected_[name], found_[name]
    return first_difference(expected_, found_)


def _within_rounding(full: Any, expected: Any, found: Any) -> bool:
    arrays = [v for v in (full, expected, found) if isinstance(v, np.ndarray)]
    if len(arrays) < 3 or len({a.shape for a in arrays}) != 1 or expected.dtype != found.dtype or not full.size:
        return False
    wide, want, got = (a.astype(np.float64) for a in arrays)
    rounding = min(ROUNDINGS * np.abs(want - wide).max(), MOST_ROUNDING * np.abs(wide).max())
    return bool(np.abs(got - want).max() <= rounding)
