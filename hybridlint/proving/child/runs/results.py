"""Comparison of two results of a block: structure, shapes, dtypes and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

#: dtype -> (relative, absolute) tolerance; values of other dtypes must be equal.
TOLERANCES = {"float16": (1e-2, 1e-3), "float32": (1e-4, 1e-6), "float64": (1e-7, 1e-12)}
#: What is said of an output or gradient that only the expected result has.
MISSING = "is missing"


class ResultDifference(NamedTuple):
    """A difference between two results: `what` names the output, gradient or state that differs.

    `place` is the index of the element with the largest error; `expected` and `found` are the values there.
    """

    what: str
    message: str
    largest_absolute: float | None = None
    largest_relative: float | None = None
    place: tuple[int, ...] | None = None
    expected: float | None = None
    found: float | None = None


def flatten(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested containers with their paths; arrays become numpy arrays.

    Lists and tuples are treated alike: a compiled block returns lists where the eager one may return tuples.
    """
    if isinstance(value, (list, tuple)):
        if not value:
            yield path, "nothing in a list"
        for k, item in enumerate(value):
            yield from flatten(item, f"{path}[{k}]")
    elif isinstance(value, dict) and value:
        # A compiled block cannot return a dictionary; the values that the eager run returns in one still count.
        for key, item in value.items():
            yield from flatten(item, f"{path}[{key!r}]")
    elif hasattr(value, "asnumpy"):
        yield path, value.asnumpy()
    else:
        # Only mxnet arrays are compared by value: a compiled block could not return anything else.
        yield path, f"a {type(value).__name__}" if isinstance(value, np.ndarray) else value


def first_difference(expected: dict[str, Any], found: dict[str, Any]) -> ResultDifference | None:
    """Return the first difference between two results, in the order of `expected`, None if they agree.

    A gradient of zeros equals a missing one: MXNet initializes gradients with zeros, and unused arrays keep them.
    """
    told = {name: value for name, value in found.items() if name in expected or not _no_gradient(name, value)}
    expected = {name: value for name, value in expected.items() if name in found or not _no_gradient(name, value)}
    found = told
    if list(expected) != list(found):
        missing = [name for name in expected if name not in found]
        more = [name for name in found if name not in expected]
        what = (missing or more or list(expected))[0]
        return ResultDifference(what, MISSING if missing else "is new" if more else "stands in another place")
    for name, value in expected.items():
        difference = leaf_difference(name, value, found[name])
        if difference is not None:
            return difference
    return None


def _no_gradient(name: str, value: Any) -> bool:
    return name.startswith("gradient of ") and not np.any(value)


def leaf_difference(what: str, expected: Any, found: Any) -> ResultDifference | None:
    """Return the difference between two leaves (arrays or other values), None if they agree within the tolerance."""
    if not isinstance(expected, np.ndarray) or not isinstance(found, np.ndarray):
        return None if type(expected) is type(found) and expected == found else _kinds(what, expected, found)
    if expected.shape != found.shape:
        return ResultDifference(what, f"has shape {found.shape} instead of {expected.shape}")
    if expected.dtype != found.dtype:
        return ResultDifference(what, f"has dtype {found.dtype} instead of {expected.dtype}")
    return _values(what, expected, found)


def _kinds(what: str, expected: Any, found: Any) -> ResultDifference:
    return ResultDifference(what, f"is {_show(found)} instead of {_show(expected)}")


def _show(value: Any) -> str:
    return "an array" if isinstance(value, np.ndarray) else repr(value)[:80]


def _values(what: str, expected: Any, found: Any) -> ResultDifference | None:
    if np.array_equal(expected, found):
        return None
    relative, absolute = TOLERANCES.get(expected.dtype.name, (0.0, 0.0))
    want, got = expected.astype(np.float64), found.astype(np.float64)
    finite = want[np.isfinite(want)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    with np.errstate(all="ignore"):
        error = np.abs(got - want)
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        error = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
        # A sum of many terms with different signs has the rounding error of its largest terms.
        allowed = relative * np.abs(np.where(np.isfinite(want), want, 0.0)) + relative * 0.1 * scale + absolute
        if bool((error <= allowed).all()):
            return None
        quotient = np.where(same, 0.0, error / np.abs(want))
    place = tuple(int(k) for k in np.unravel_index(int(np.argmax(error - allowed)), error.shape))
    return ResultDifference(
        what,
        "has other values",
        float(error.max()),
        float(quotient.max()),
        place,
        float(want[place]),
        float(got[place]),
    )
