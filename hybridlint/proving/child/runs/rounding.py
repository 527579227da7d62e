"""What rounding alone does to gradients: terms that cancel out leave only the rounding of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridlint.proving.child.runs.runs import Observation, Plan

#: How often what rounding does is allowed between two runs.
ROUNDINGS = 4.0
#: The part of the largest gradient of a call that rounding is believed to move another one by, at most.
MOST_ROUNDING = 1e-4
_GRADIENT = "gradient of "


def nudged(plan: Plan) -> Plan:
    """Return the plan with each number of the parameters rounded up or down."""
    rng = np.random.RandomState(0)
    return plan._replace(values={name: _nudged(value, rng) for name, value in plan.values.items()})


def _nudged(value: Any, rng: np.random.RandomState) -> Any:
    if value.dtype.kind != "f":
        return value
    towards = np.where(rng.randint(0, 2, value.shape), np.inf, -np.inf).astype(value.dtype)
    return np.where(value == 0, value, np.nextafter(value, towards))


def within_rounding(expected: Observation, moved: Observation, found: Observation) -> list[str]:
    """Return the gradients of a call that differ by no more than rounding its parameters moves them.

    `moved` is the same call with such parameters. A gradient that is large beside the others is compared as all else.
    """
    gradients = {name: value for name, value in expected.results.items() if _is_gradient(name, value)}
    largest = max((float(np.abs(value).max()) for value in gradients.values()), default=0.0)
    return [
        name
        for name, value in gradients.items()
        if _close(value, moved.results.get(name), found.results.get(name), MOST_ROUNDING * largest)
    ]


def without(results: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Return results but for those of these names."""
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
