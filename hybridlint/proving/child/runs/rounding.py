"""The effect of rounding on gradients: if the terms of a sum cancel out, only rounding errors remain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridlint.proving.child.runs.runs import Observation, Plan

#: Two runs may differ by this many times the effect of rounding.
ROUNDINGS = 4.0
#: The largest effect of rounding that is allowed, as a fraction of the largest gradient of the call.
MOST_ROUNDING = 1e-4
_GRADIENT = "gradient of "


def nudged(plan: Plan) -> Plan:
    """Return the plan with each parameter value changed to the next float above or below it, at random."""
    rng = np.random.RandomState(0)
    return plan._replace(values={name: _nudged(value, rng) for name, value in plan.values.items()})


def _nudged(value: Any, rng: np.random.RandomState) -> Any:
    if value.dtype.kind != "f":
        return value
    towards = np.where(rng.randint(0, 2, value.shape), np.inf, -np.inf).astype(value.dtype)
    return np.where(value == 0, value, np.nextafter(value, towards))


def within_rounding(expected: Observation, moved: Observation, found: Observation) -> list[str]:
    """Return the names of the gradients whose difference is explained by rounding.

    `expected` and `found` are compared; `moved` is the call of `expected` with nudged parameters. The difference may be
    4 times that between `expected` and `moved`, but no more than 1e-4 of the call's largest gradient.
    """
    gradients = {name: value for name, value in expected.results.items() if _is_gradient(name, value)}
    largest = max((float(np.abs(value).max()) for value in gradients.values()), default=0.0)
    return [
        name
        for name, value in gradients.items()
        if _close(value, moved.results.get(name), found.results.get(name), MOST_ROUNDING * largest)
    ]


def without(results: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the results whose names are not in `names`."""
    return {name: value for name, value in results.items() if name not in names}


def _is_gradient(name: str, value: Any) -> bool:
    if not name.startswith(_GRADIENT) or not isinstance(value, np.ndarray) or not value.size:
        return False
    return bool(np.isfinite(value).all())


def _close(expected: Any, moved: Any, found: Any, most: float) -> bool:
    arrays = [value for value in (moved, found) if isinstance(value, np.ndarray)]
    if len(arrays) < 2 or any(a.shape != expected.shape or a.dtype != expected.dtype for a in arrays):
        return False
    want, near, got = (value.astype(np.float64) for value in (expected, moved, found))
    rounding = min(ROUNDINGS * float(np.abs(near - want).max()), most)
    return bool(np.abs(got - want).max() <= rounding)
