"""Reductions, and functions computed from them."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.numpy_functions.world import Function, NumpyWorld


def sum(
    world: NumpyWorld,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    out: Any = None,
    name: Any = None,
) -> Any:
    """Sum of the elements over axes, or of all."""
    return world.call("_np_sum", a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, out=out)


def prod(
    world: NumpyWorld,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
) -> Any:
    """Product of the elements over axes, or of all."""
    return world.call("_np_prod", a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, out=out)


def mean(
    world: NumpyWorld, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Mean of the elements over axes, or of all."""
    return world.call("_npi_mean", a, axis=axis, dtype=dtype, keepdims=keepdims, out=out)


def std(
    world: NumpyWorld,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Any:
    """Return the standard deviation of the elements over axes, or of all."""
    return world.call("_npi_std", a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, out=out)


def var(
    world: NumpyWorld,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Any:
    """Variance of the elements over axes, or of all."""
    return world.call("_npi_var", a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, out=out)


def max(
    world: NumpyWorld, a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, out: Any = None
) -> Any:
    """Return the largest element over axes, or of all."""
    return world.call("_np_max", a, axis=axis, keepdims=keepdims, initial=initial, out=out)


def min(
    world: NumpyWorld, a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, out: Any = None
) -> Any:
    """Return the smallest element over axes, or of all."""
    return world.call("_np_min", a, axis=axis, keepdims=keepdims, initial=initial, out=out)


def any(world: NumpyWorld, a: Any, axis: Any = None, keepdims: bool = False, out: Any = None) -> Any:
    """Whether any element is not 0."""
    return world.call("_np_any", a, axis=axis, keepdims=keepdims, out=out)


def all(world: NumpyWorld, a: Any, axis: Any = None, keepdims: bool = False, out: Any = None) -> Any:
    """Whether all elements are not 0."""
    return world.call("_np_all", a, axis=axis, keepdims=keepdims, out=out)


def argmax(world: NumpyWorld, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Index of the largest element along an axis, or in the flat array."""
    return world.call("_npi_argmax", a, axis=axis, keepdims=False, out=out)


def argmin(world: NumpyWorld, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Index of the smallest element along an axis, or in the flat array."""
    return world.call("_npi_argmin", a, axis=axis, keepdims=False, out=out)


def cumsum(world: NumpyWorld, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the running sum along an axis, or of the flat array."""
    return world.call("_np_cumsum", a, axis=axis, dtype=dtype, out=out)


def average(
    world: NumpyWorld, a: Any, axis: Any = None, weights: Any = None, returned: bool = False, out: Any = None
) -> Any:
    """Weighted mean; with `returned` also the sum of the weights."""
    inputs = (a,) if weights is None else (a, weights)
    return world.call("_npi_average", *inputs, axis=axis, returned=returned, weighted=weights is not None, out=out)


def percentile(
    world: NumpyWorld,
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """Percentiles of the elements. Raises NotImplementedError for `overwrite_input`."""
    if overwrite_input is not None:
        raise NotImplementedError("overwrite_input is not supported")
    params = {"axis": axis, "interpolation": interpolation, "keepdims": keepdims, "out": out}
    if isinstance(q, (int, float)):
        return world.call("_npi_percentile", a, q_scalar=q, **params)
    return world.call("_npi_percentile", a, q, **params)


def quantile(
    world: NumpyWorld,
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """Quantiles of the elements."""
    return percentile(world, a, q * 100, axis, out, overwrite_input, interpolation, keepdims)


FUNCTIONS: dict[str, Function] = {
    "all": all,
    "amax": max,
    "amin": min,
    "any": any,
    "argmax": argmax,
    "argmin": argmin,
    "average": average,
    "cumsum": cumsum,
    "max": max,
    "mean": mean,
    "min": min,
    "percentile": percentile,
    "prod": prod,
    "product": prod,
    "quantile": quantile,
    "sometrue": any,
    "std": std,
    "sum": sum,
    "var": var,
}
