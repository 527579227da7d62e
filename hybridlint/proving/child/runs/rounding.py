"""The effect of rounding on results: if the terms of a sum cancel out, only rounding errors remain.

Two runs tell such gradients: one with parameters that are rounded differently, and one in float64. The first tells such
outputs too: behind a `tanh`, the largest output no longer shows how large the terms of the sum were.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from hybridlint.proving.child.runs.exported_block import position_outputs
from hybridlint.proving.child.runs.runs import CallPlan, Observation

#: Two runs may differ by this many times the effect of rounding.
ROUNDINGS = 4.0
#: The largest effect of rounding that is allowed, as a fraction of the largest gradient of the call: where parameters
#: that are rounded otherwise move the gradient that far, and without such a witness.
MOST_WITNESSED = 1e-3
MOST_ROUNDING = 1e-4
#: The same for an output, as a fraction of its own largest element.
MOST_OF_OUTPUT = 1e-4
#: The largest difference of two runs in float64, as a fraction of the largest gradient of the call.
MOST_IN_DOUBLE = 1e-9
#: The largest error of float32 that is believed to be one, as a fraction of the largest gradient of the call.
MOST_ERROR = 1e-2
_GRADIENT = "gradient of "
_OUTPUT = "output"


def nudge_parameters(plan: CallPlan) -> CallPlan:
    """Return the plan with each parameter value changed to the next float above or below it, at random."""
    rng = np.random.RandomState(0)
    return plan._replace(values={name: _nudged(value, rng) for name, value in plan.values.items()})


def _nudged(value: Any, rng: np.random.RandomState) -> Any:
    if value.dtype.kind != "f":
        return value
    towards = np.where(rng.randint(0, 2, value.shape), np.inf, -np.inf).astype(value.dtype)
    return np.where(value == 0, value, np.nextafter(value, towards))


def could_be_rounding(expected: Mapping[str, Any], what: str, largest: float | None) -> bool:
    """Whether rounding could explain a difference in a result: any in a gradient, and a small one in an output.

    `what` names the result, and `largest` is the largest absolute difference, None if it is one of another kind.
    """
    if what.startswith(_GRADIENT):
        return True
    value = expected.get(what)
    return largest is not None and _is_output(what, value) and largest <= MOST_OF_OUTPUT * _most(value)


def within_rounding(
    expected: Observation, moved: Observation, found: Observation, *, exported: bool = False
) -> list[str]:
    """Return the names of the gradients and outputs whose difference is explained by rounding.

    `expected` and `found` are compared; `moved` is the call of `expected` with nudged parameters. The difference may be
    4 times that between `expected` and `moved`, but no more than 1e-3 of the call's largest gradient, or 1e-4 of the
    output. If the run is that of an `exported` graph, outputs are named by position.
    """
    if exported:
        expected, moved, found = (
            seen._replace(results=position_outputs(seen.results)) for seen in (expected, moved, found)
        )
    gradients = MOST_WITNESSED * _largest(expected)

    def most(name: str, value: Any) -> float | None:
        if _is_gradient(name, value):
            return gradients
        return MOST_OF_OUTPUT * _most(value) if _is_output(name, value) else None

    allowed = ((name, value, most(name, value)) for name, value in expected.results.items())
    return [
        name
        for name, value, limit in allowed
        if limit is not None and _close(value, moved.results.get(name), found.results.get(name), limit)
    ]


def equal_in_double(expected: Observation, found: Observation, wide: tuple[Observation, Observation]) -> list[str]:
    """Return the names of the gradients that differ by rounding, as the same two calls agree in float64.

    `wide` are the calls of `expected` and `found` in float64, which may differ by 1e-9 of the call's largest gradient.
    `expected` and `found` themselves may differ by 1e-4 of it, or by 4 times the error of `expected` (its distance from
    float64), which is up to 1e-2 of it: where rounding moves a gradient that far, it moves both runs.
    """
    first, second = wide
    largest = _largest(expected)

    def rounded(name: str, value: Any) -> bool:
        error = _error(value, first.results.get(name))
        most = max(MOST_ROUNDING * largest, ROUNDINGS * error if error <= MOST_ERROR * largest else 0.0)
        return _apart(value, found.results.get(name)) <= most

    return [
        name
        for name, value in expected.results.items()
        if _is_gradient(name, value)
        and _apart(first.results.get(name), second.results.get(name)) <= MOST_IN_DOUBLE * _largest(first)
        and rounded(name, value)
    ]


def _largest(seen: Observation) -> float:
    gradients = [value for name, value in seen.results.items() if _is_gradient(name, value)]
    return max(map(_most, gradients), default=0.0)


def _most(value: Any) -> float:
    return float(np.abs(value).max())


def _apart(left: Any, right: Any) -> float:
    arrays = [value for value in (left, right) if isinstance(value, np.ndarray)]
    if len(arrays) < 2 or left.shape != right.shape or left.dtype != right.dtype:
        return float("inf")
    return float(np.abs(left.astype(np.float64) - right.astype(np.float64)).max())


def _error(value: Any, exact: Any) -> float:
    """Return how far a result is from the same one in float64, infinity if that has another shape."""
    if not isinstance(exact, np.ndarray) or exact.shape != value.shape:
        return float("inf")
    return float(np.abs(value.astype(np.float64) - exact).max())


def without(results: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the results whose names are not in `names`."""
    return {name: value for name, value in results.items() if name not in names}


def _is_gradient(name: str, value: Any) -> bool:
    return name.startswith(_GRADIENT) and _is_finite(value)


def _is_output(name: str, value: Any) -> bool:
    return name.startswith(_OUTPUT) and _is_finite(value) and value.dtype.kind == "f"


def _is_finite(value: Any) -> bool:
    return isinstance(value, np.ndarray) and bool(value.size) and bool(np.isfinite(value).all())


def _close(expected: Any, moved: Any, found: Any, most: float) -> bool:
    rounding = _apart(expected, moved)
    return rounding < float("inf") and _apart(expected, found) <= min(ROUNDINGS * rounding, most)
