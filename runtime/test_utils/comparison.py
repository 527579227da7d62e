"""Comparisons of arrays, of numpy's or of ours, that fail with the place of the largest difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.test_utils.tolerance import get_etol, get_tols


def plain(data: Any) -> Any:
    """Return numpy data of an NDArray; anything else unchanged."""
    return data.asnumpy() if isinstance(data, NDArray) else data


def same(a: Any, b: Any) -> bool:
    """Return whether two arrays are equal element by element."""
    return bool(np.array_equal(plain(a), plain(b)))


def almost_equal(
    a: Any, b: Any, rtol: Any = None, atol: Any = None, equal_nan: bool = False, use_broadcast: bool = True
) -> bool:
    """Return whether two arrays are equal within tolerances."""
    relative, absolute = get_tols(a, b, rtol, atol)
    left, right = plain(a), plain(b)
    if not use_broadcast:
        check_shapes(left, right)
    return bool(np.allclose(left, right, rtol=relative, atol=absolute, equal_nan=equal_nan))


def assert_almost_equal(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    use_broadcast: bool = True,
    mismatches: tuple[int, int] = (10, 10),
) -> None:
    """Raise AssertionError if two arrays differ by more than the tolerances, which depend on their dtypes."""
    assert_almost_equal_with_err(a, b, rtol, atol, 0, names, equal_nan, mismatches, use_broadcast=use_broadcast)


def assert_almost_equal_with_err(
    a: Any,
    b: Any,
    rtol: Any = None,
    atol: Any = None,
    etol: float | None = None,
    names: Sequence[str] = ("a", "b"),
    equal_nan: bool = False,
    mismatches: tuple[int, int] = (10, 10),
    *,
    use_broadcast: bool = True,
) -> None:
    """Raise AssertionError if more than the share `etol` of all elements differs."""
    relative, absolute = get_tols(a, b, rtol, atol)
    left, right = np.asarray(plain(a)), np.asarray(plain(b))
    if not use_broadcast:
        check_shapes(left, right)
    if left.shape != right.shape:
        left, right = _broadcast(left, right)
    differs = ~np.isclose(left, right, rtol=relative, atol=absolute, equal_nan=equal_nan)
    share = differs.mean() if differs.size else 0.0
    if share > get_etol(etol):
        raise AssertionError(
            f"Items are not equal: {100 * share:.3g}% of all elements differ (rtol={relative}, atol={absolute})."
            + _worst(left, right, differs, names, mismatches)
        )


def check_shapes(a: Any, b: Any) -> None:
    """Raise AssertionError if shapes differ."""
    if np.shape(a) != np.shape(b):
        raise AssertionError(f"Shapes differ: {np.shape(a)} and {np.shape(b)}")


def _broadcast(left: Any, right: Any) -> tuple[Any, Any]:
    try:
        a, b = np.broadcast_arrays(left, right)
    except ValueError as error:
        raise AssertionError(f"Shapes differ: {left.shape} and {right.shape}") from error
    return a, b


def _worst(left: Any, right: Any, differs: Any, names: Sequence[str], mismatches: tuple[int, int]) -> str:
    places = np.argwhere(differs)
    with np.errstate(all="ignore"):
        gaps = [abs(float(left[tuple(p)]) - float(right[tuple(p)])) for p in places]
    ranked = sorted(zip(gaps, map(tuple, places), strict=True), key=lambda pair: -np.nan_to_num(pair[0], nan=np.inf))
    return "".join(
        f"\n  at {tuple(map(int, at))}: {names[0]} {left[at]}, {names[1]} {right[at]}"
        for _, at in ranked[: mismatches[0]]
    )


def assert_almost_equal_ignore_nan(
    a: Any, b: Any, rtol: Any = None, atol: Any = None, names: Sequence[str] = ("a", "b")
) -> None:
    """Raise AssertionError if two arrays differ at places where neither is nan."""
    left, right = np.array(plain(a)), np.array(plain(b))
    unknown = np.isnan(left) | np.isnan(right)
    left[unknown] = right[unknown] = 0
    assert_almost_equal(left, right, rtol, atol, names)


def assert_allclose(a: Any, b: Any, rtol: float = 1e-7, atol: float = 0, equal_nan: bool = True) -> None:
    """Raise AssertionError if two arrays differ by more than given tolerances, the same for every dtype."""
    assert_almost_equal(a, b, rtol, atol, equal_nan=equal_nan)


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: Any = None, atol: Any = None) -> None:
    """Compare nested tuples of arrays; None on either side matches anything."""
    if t1 is None or t2 is None:
        return
    if not isinstance(t1, tuple):
        assert_almost_equal(t1, t2, rtol, atol)
        return
    for left, right in zip(t1, t2, strict=False):
        compare_ndarray_tuple(left, right, rtol, atol)


def same_array(array1: NDArray, array2: NDArray) -> bool:
    """Return whether two arrays share their memory: a change of one shows in the other. Both are left as they were."""
    array1[:] += 1
    shared = same(array1, array2)
    array1[:] -= 1
    return shared and same(array1, array2)


def assert_exception(f: Callable[..., Any], exception_type: type[BaseException], *args: Any, **kwargs: Any) -> None:
    """Raise AssertionError if ``f(*args, **kwargs)`` does not raise the exception."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{exception_type.__name__} was not raised")


def collapse_sum_like(a: Any, shape: Sequence[int]) -> Any:
    """Return numpy data summed to `shape`, the inverse of broadcasting from it."""
    lead = a.ndim - len(shape)
    total = a.sum(axis=tuple(range(lead))) if lead else a
    axes = tuple(k for k, size in enumerate(shape) if size == 1 and total.shape[k] != 1)
    return total.sum(axis=axes, keepdims=True) if axes else total


def locationError(a: Any, b: Any, index: tuple[int, ...], names: tuple[str, str], maxError: bool = False) -> str:
    """Return a sentence on the elements of two arrays at a place."""
    what = "maximum error" if maxError else "error"
    return f"Location of {what}: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def checkShapes(a: Any, b: Any) -> None:
    """Raise AssertionError unless two arrays have one shape."""
    if a.shape != b.shape:
        sizes = f"Items are not equal: a.shape = {a.shape} and b.shape = {b.shape} are not equal"
        raise AssertionError(f"\n{sizes}\n ACTUAL: {a!r}\n DESIRED: {b!r}")
