"""Compares the arrays that both sides of a conversion have written for one call."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hybridlint.core.proof_outcome import ReportedDifference
from hybridlint.proving.child.runs.results import ResultDifference as ArrayDifference
from hybridlint.proving.child.runs.results import leaf_difference

#: How many times the network's own rounding error two results may differ.
_ROUNDINGS = 50
#: The largest file of arrays that is read.
_MOST_BYTES = 2 << 30


def call_difference(stem: Path, loaded: Collection[str]) -> ReportedDifference | None:
    """Return the first difference between the results of a call, None if they agree.

    `loaded` are the parameters that PyTorch has: it lacks those of layers without scale and offset.
    """
    before, after = stem.with_name(f"{stem.name}.npz"), stem.with_name(f"{stem.name}.torch.npz")
    expected, found, noise = _arrays(before, "out "), _arrays(after, "out "), _arrays(before, "noise ")
    for name, value in expected.items():
        other = found.get(name)
        if other is None:
            # A gradient of zeros equals a missing one.
            if name.startswith("gradient of ") and not np.any(value):
                continue
            if name.startswith("state ") and name.removeprefix("state ") not in loaded:
                continue
            return ReportedDifference(name, f"{name} is missing")
        if is_total(value, other):
            other = other.reshape(1)
        difference = leaf_difference(name, value, other if other.dtype == value.dtype else other.astype(value.dtype))
        if difference is not None and _exceeds(difference, noise.get(name)):
            return ReportedDifference(
                difference.what,
                f"{name} {difference.message}",
                difference.largest_absolute,
                difference.largest_relative,
                difference.place,
                difference.expected,
                difference.found,
            )
    more = [name for name in found if name not in expected and name.startswith("output")]
    return ReportedDifference(more[0], f"{more[0]} is new") if more else None


def moved_by_rounding(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters that are moved by one rounding each, up or down: results move by their own rounding error."""
    rng = np.random.RandomState(0)
    moved = {}
    for name, value in values.items():
        step = np.finfo(value.dtype).eps * rng.choice([-1.0, 1.0], value.shape) if value.dtype.kind == "f" else 0
        moved[name] = (value * (1 + step)).astype(value.dtype)
    return moved


def is_total(value: Any, other: Any) -> bool:
    """Whether a result without axes represents one of MXNet's, which has an axis of size 1."""
    return bool(value.shape == (1,) and other.shape == ())


def has_totals(stem: Path) -> bool:
    """Whether an output of a call has no axes in PyTorch, and one of size 1 in MXNet."""
    before, after = stem.with_name(f"{stem.name}.npz"), stem.with_name(f"{stem.name}.torch.npz")
    expected, found = _arrays(before, "out output"), _arrays(after, "out output")
    return any(name in found and is_total(value, found[name]) for name, value in expected.items())


def _exceeds(difference: ArrayDifference, noise: Any) -> bool:
    """Whether a difference is more than rounding: how far results move with parameters that move by one rounding."""
    if noise is None or difference.largest_absolute is None:
        return True
    return difference.largest_absolute > _ROUNDINGS * float(noise)


def _arrays(path: Path, prefix: str) -> dict[str, Any]:
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError("too many results")
    with np.load(path, allow_pickle=False) as arrays:
        return {name[len(prefix) :]: arrays[name] for name in arrays.files if name.startswith(prefix)}
