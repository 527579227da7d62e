"""Reading of setups that were recorded in a real run of the user's program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.build.arguments import ConstructorArguments, Within
from hybridlint.proving.child.specs.spec import BATCH, GivenSpec, Spec, TensorSpec, spec_from_json


def arguments_of(call: Mapping[str, Any]) -> ConstructorArguments | None:
    """Return the recorded constructor arguments, None if they could not be written as expressions."""
    if "within" in call:
        within = call["within"]
        return ConstructorArguments([], {}, Within(within["expression"], tuple(within["path"])))
    return ConstructorArguments(list(call["args"]), dict(call["kwargs"])) if "args" in call else None


def inputs_of_record(call: Mapping[str, Any]) -> dict[str, Spec] | None:
    """Return specs of the recorded inputs, with their arrays if these were stored; None if an input is unknown."""
    if any(_unknown(spec) for spec in call["inputs"].values()):
        return None
    inputs = {name: spec_from_json(spec) for name, spec in call["inputs"].items()}
    if "arrays" not in call:
        return inputs
    with np.load(call["arrays"]) as kept:
        return {name: _given(name, spec, kept) for name, spec in inputs.items()}


def rounds_of(call: Mapping[str, Any], batches: Sequence[int]) -> list[list[dict[str, int]]]:
    """Return the sizes to try, in order, for each of two rounds: small batches first, the recorded sizes last."""
    seen = sorted(call["rounds"], key=lambda sizes: math.prod(sizes.values()))
    first, second = seen[0], max(seen, key=lambda sizes: _distance(seen[0], sizes))
    return [
        [_with_batch(first, batches[0]), first],
        [_with_batch(second, batches[1]), _with_batch(first, batches[1]), second],
    ]


def _with_batch(sizes: Mapping[str, int], batch: int) -> dict[str, int]:
    return {name: batch if name == BATCH else size for name, size in sizes.items()}


def _distance(left: Mapping[str, int], right: Mapping[str, int]) -> int:
    return sum(name != BATCH and left[name] != right[name] for name in left)


def _unknown(spec: Mapping[str, Any]) -> bool:
    return "unknown" in spec or any(map(_unknown, spec.get("list", [])))


def _given(place: str, spec: Spec, kept: Mapping[str, Any]) -> Spec:
    if isinstance(spec, list):
        return [_given(f"{place}[{k}]", item, kept) for k, item in enumerate(spec)]
    if isinstance(spec, TensorSpec) and place in kept:
        return GivenSpec(spec.shape, spec.dtype, spec.low, spec.high, spec.integers, given=kept[place])
    return spec
