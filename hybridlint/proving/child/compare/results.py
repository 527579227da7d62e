"""Whether two results of a block are the same: structure, shapes, dtypes, values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

#: dtype -> (relative, absolute) tolerance; what is not listed must be equal.
TOLERANCES = {"float16": (1e-2, 1e-3), "float32": (1e-4, 1e-6), "float64": (1e-7, 1e-12)}


class Difference(NamedTuple):
    """Where two results part: `what` is an output, a gradient or a state; `place` the element of the largest error."""

    what: str
    message: str
    largest_absolute: float | None = None
    largest_relative: float | None = None
    place: tuple[int, ...] | None = None
    expected: float | None = None
    found: float | None = None


def flatten(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Iterate over the leaves of nested containers with the names of their places, arrays as numpy arrays.

    Lists and tuples count as one kind: a compiled block returns lists where the eager one may return tuples.
    """
    if isinstance(value, (list, tuple)):
        if not value:
            yield path, "nothing in a list"
        for k, item in enumerate(value):
            yield from flatten(item, f"{path}[{k}]")
    elif isinstance(value, dict) and value:
        # A compiled block cannot return one; what the eager run returns in it are results all the same.
        for key, item in value.items():
            yield from flatten(item, f"{path}[{key!r}]")
    elif hasattr(value, "asnumpy"):
        yield path, value.asnumpy()
    else:
        # Only arrays of mxnet are compared by value: anything else is no tensor that a compiled block could return.
        yield path, f"a {type(value).__name__}" if isinstance(value, np.ndarray) else value


def first_difference(expected: dict[str, Any], found: dict[str, Any]) -> Difference | None:
    """Return the first place, in the order of `expected`, where two results differ, None where they agree.

    A gradient of zeros is as good as none: arrays begin with zeros for their gradient, and what takes no part keeps it.
    """
    found = {name: value for name, value in found.items() if name in expected or not _no_gradient(name, value)}
    if list(expected) != list(found):
        missing = [name for name in expected if name not in found]
        more = [name for name in found if name not in expected]
        what = (missing or more or list(expected))[0]
        return Difference(what, "is missing" if missing else "is new" if more else "stands in another place")
    for name, value in expected.items():
        difference = leaf_difference(name, value, found[name])
        if difference is not None:
            return difference
    return None


def _no_gradient(name: str, value: Any) -> bool:
    return name.startswith("gradient of ") and not np.any(value)


def leaf_difference(what: str, expected: Any, found: Any) -> Difference | None:
    """Return how one leaf differs from what was expected, None where it does not."""
    if not isinstance(expected, np.ndarray) or not isinstance(found, np.ndarray):
        return None if type(expected) is type(found) and expected == found else _kinds(what, expected, found)
    if expected.shape != found.shape:
        return Difference(what, f"has shape {found.shape} instead of {expected.shape}")
    if expected.dtype != found.dtype:
        return Difference(what, f"has dtype {found.dtype} instead of {expected.dtype}")
    return _values(what, expected, found)


def _kinds(what: str, expected: Any, found: Any) -> Difference:
    return Difference(what, f"is {_show(found)} instead of {_show(expected)}")


def _show(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else repr(value)[:80]


def _values(what: str, expected: Any, found: Any) -> Difference | None:
    relative, absolute = TOLERANCES.get(expected.dtype.name, (0.0, 0.0))
    want, got = expected.astype(np.float64), found.astype(np.float64)
    finite = want[np.isfinite(want)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    with np.errstate(all="ignore"):
        error = np.abs(got - want)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        error = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
        # Sums of many terms of unlike signs lose digits of the largest, not of the result.
        allowed = relative * np.abs(np.where(np.isfinite(want), want, 0.0)) + relative * 0.1 * scale + absolute
        if bool((error <= allowed).all()):
            return None
        quotient = np.where(same, 0.0, error / np.abs(want))
    place = tuple(int(k) for k in np.unravel_index(int(np.argmax(error - allowed)), error.shape))
    return Difference(
        what,
        "has other values",
        float(error.max()),
        float(quotient.max()),
        place,
        float(want[place]),
        float(got[place]),
    )
