"""Gradients of slopes: once MXNet compiles a `PReLU` between layers, the gradient of its slope is multiplied by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.build.blocks import trained_values
from hybridlint.proving.child.runs.runs import CallPlan, Observation

#: Relative differences that rounding may leave, by the size of a number in bytes.
_ROUNDING = {2: 2e-2, 4: 1e-3, 8: 1e-6}


def multiplied_gradients(expected: Observation, found: Observation, plan: CallPlan) -> list[str]:
    """Return the names of the gradients that are those of `expected`, multiplied by the value of their parameter."""
    values = list(_over_time(plan))
    return [
        name
        for name, gradient in expected.results.items()
        if name.startswith("gradient of ")
        and any(_is_product(gradient, held.get(name[12:]), found.results.get(name)) for held in values)
    ]


def restrictions(names: Sequence[str]) -> list[str]:
    """Return the restriction of a proof in which these gradients were found multiplied, as a text; none for none."""
    if not names:
        return []
    if len(names) == 1:
        return [f"results other than the {names[0]}, which a graph of MXNet multiplies by this slope"]
    shown = f"{names[0]} and {len(names) - 1} more slopes"
    return [f"results other than the {shown}, which a graph of MXNet multiplies by the slope"]


def _over_time(plan: CallPlan) -> Iterator[Mapping[str, Any]]:
    """Yield the values of the parameters as the calls have them one after another."""
    once = {**plan.values, **trained_values(plan.values, plan.trainable)}
    yield from (plan.values, once, {**once, **trained_values(once, plan.trainable)})


def _is_product(gradient: Any, value: Any, found: Any) -> bool:
    arrays = (gradient, value, found)
    if not all(isinstance(array, np.ndarray) and array.dtype.kind == "f" for array in arrays):
        return False
    if not gradient.shape == value.shape == found.shape or np.array_equal(gradient, found):
        return False
    return bool(np.allclose(found, gradient * value, rtol=_ROUNDING[found.dtype.itemsize], atol=0))
