"""Functions that make arrays of nothing, or of another array's shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.numpy_functions.world import Function, NumpyWorld

_C_ORDER = "only supports C-order, while received "


def _c_order(order: str) -> None:
    if order != "C":
        raise NotImplementedError(f"{_C_ORDER}{order}")


def _number(value: Any) -> Any:
    # The parameters of operators are numbers, of which True and False are none.
    return int(value) if isinstance(value, bool) else value


def zeros(world: NumpyWorld, shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return zeros, float32 unless `dtype` says otherwise."""
    _c_order(order)
    return world.call("_npi_zeros", shape=shape, dtype=dtype, ctx=ctx)


def ones(world: NumpyWorld, shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return ones, float32 unless `dtype` says otherwise."""
    _c_order(order)
    return world.call("_npi_ones", shape=shape, dtype=dtype, ctx=ctx)


def full(
    world: NumpyWorld,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Return an array filled with one value, or with the broadcast of an array."""
    _c_order(order)
    if world.is_tensor(fill_value):
        found = world.call("_npi_broadcast_to", fill_value, shape=shape)
        return found if dtype is None else world.call("Cast", found, dtype=dtype, hint="cast")
    wanted = bool if dtype is None and isinstance(fill_value, bool) else dtype
    return world.call("_npi_full", shape=shape, value=_number(fill_value), dtype=wanted, ctx=ctx, out=out)


def full_like(
    world: NumpyWorld, a: Any, fill_value: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None
) -> Any:
    """Return an array of the shape of another, filled with one value."""
    _c_order(order)
    wanted = bool if isinstance(fill_value, bool) else dtype
    return world.call("_npi_full_like", a, fill_value=_number(fill_value), dtype=wanted, ctx=ctx, out=out)


def zeros_like(world: NumpyWorld, a: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None) -> Any:
    """Return zeros of the shape of an array."""
    return full_like(world, a, 0, dtype, order, ctx, out)


def ones_like(world: NumpyWorld, a: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None) -> Any:
    """Return ones of the shape of an array."""
    return full_like(world, a, 1, dtype, order, ctx, out)


def empty_like(
    world: NumpyWorld, prototype: Any, dtype: Any = None, order: str = "C", subok: bool = False, shape: Any = None
) -> Any:
    """Return an array of unspecified values in the shape of another; zeros here, so that runs repeat."""
    if shape is not None or subok:
        raise NotImplementedError("empty_like takes neither subok nor shape")
    return full_like(world, prototype, 0, dtype, order)


def arange(world: NumpyWorld, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None) -> Any:
    """Return evenly spaced numbers. Raises ZeroDivisionError for a step of 0."""
    first, last = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise ZeroDivisionError("step cannot be 0")
    return world.call("_npi_arange", start=first, stop=last, step=step, dtype=dtype, ctx=ctx)


def linspace(
    world: NumpyWorld,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Any:
    """Return `num` evenly spaced numbers; with `retstep` also their distance. Raises NotImplementedError for arrays."""
    if isinstance(start, (list, np.ndarray)) or isinstance(stop, (list, np.ndarray)) or axis != 0:
        raise NotImplementedError("start and stop only support numbers")
    found = world.call("_linspace", start=start, stop=stop, num=num, endpoint=endpoint, dtype=dtype, ctx=ctx)
    return (found, (stop - start) / (num - 1 if endpoint else num)) if retstep else found


def logspace(
    world: NumpyWorld,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Any:
    """Return powers of `base` whose exponents are evenly spaced."""
    return world.call(
        "_npi_logspace", start=start, stop=stop, num=num, endpoint=endpoint, base=base, dtype=dtype, ctx=ctx
    )


def eye(world: NumpyWorld, N: int, M: int | None = None, k: int = 0, dtype: Any = None, **kwargs: Any) -> Any:
    """Return a matrix with ones on the k-th diagonal."""
    return world.call("_npi_eye", N=N, M=M, k=k, dtype=dtype, ctx=kwargs.get("ctx"))


def identity(world: NumpyWorld, n: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return a square matrix with ones on the diagonal. Raises TypeError and ValueError for anything but a size."""
    if not isinstance(n, int):
        raise TypeError("Input 'n' should be an integer")
    if n < 0:
        raise ValueError("Input 'n' cannot be negative")
    return world.call("_npi_identity", shape=(n, n), dtype=dtype, ctx=ctx)


def indices(world: NumpyWorld, dimensions: Any, dtype: Any = None, ctx: Any = None) -> Any:
    """Return for each dimension an array of the positions along it."""
    return world.call("_npi_indices", dimensions=dimensions, dtype=dtype, ctx=ctx)


def _window(name: str) -> Function:
    def function(world: NumpyWorld, M: int, dtype: Any = None, ctx: Any = None) -> Any:
        return world.call(f"_npi_{name}", M=M, dtype=dtype, ctx=ctx)

    function.__doc__ = f"Return the {name} window."
    return function


FUNCTIONS: dict[str, Function] = {
    name: value
    for name, value in globals().items()
    if callable(value) and getattr(value, "__module__", None) == __name__ and not name.startswith("_")
} | {name: _window(name) for name in ("hanning", "hamming", "blackman")}
