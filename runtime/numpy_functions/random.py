"""Functions of ``np.random`` and ``npx.random``."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.numpy_functions.world import Function, NumpyWorld


def _size(size: Any) -> Any:
    return (size,) if isinstance(size, (int, np.integer)) else size


def _draw(world: NumpyWorld, operator: str, values: dict[str, Any], out: Any = None, **params: Any) -> Any:
    """Call a draw whose parameters are numbers or tensors: tensors become inputs."""
    inputs = [v for v in values.values() if world.is_tensor(v)]
    numbers = {k: None if world.is_tensor(v) else v for k, v in values.items()}
    return world.call(operator, *inputs, out=out, **numbers, **params)


def _two(operator: str, first: str, second: str, defaults: tuple[Any, Any], *, typed: bool) -> Function:
    """Make a function of two parameters; a missing default makes the first one required."""

    def draw(world: NumpyWorld, values: tuple[Any, Any], size: Any, dtype: Any, ctx: Any, out: Any) -> Any:
        named = dict(zip((first, second), values, strict=True))
        return _draw(world, operator, named, out, size=_size(size), dtype=dtype, ctx=ctx)

    def function(world: NumpyWorld, *args: Any, **kwargs: Any) -> Any:
        order = [first, second, "size", *(["dtype"] if typed else []), "ctx", "out"]
        order = [*public, *order[2:]]
        if len(args) > len(order):
            raise TypeError(f"{operator} takes at most {len(order)} positional arguments")
        given = dict(zip(order, args, strict=False)) | kwargs
        unknown = set(given) - set(order)
        if unknown:
            raise TypeError(f"got an unexpected keyword argument {unknown.pop()!r}")
        values = tuple(given.get(name, default) for name, default in zip(public, defaults, strict=True))
        if any(v is None for v in values):
            raise TypeError(f"missing a required argument: {public[0]!r}")
        return draw(world, (values[0], values[1]), *(given.get(k) for k in ("size", "dtype", "ctx", "out")))

    public = (first, second)
    function.__doc__ = f"Draw by {first} and {second}, numbers or tensors."
    return function


def _one(operator: str, parameter: str, traced_default: Any, eager_default: Any) -> Function:
    def function(
        world: NumpyWorld, value: Any = None, size: Any = None, ctx: Any = None, out: Any = None, **kwargs: Any
    ) -> Any:
        default = eager_default if world.eager else traced_default
        given = kwargs.get(parameter, default if value is None else value)
        if given is None:
            raise TypeError(f"missing a required argument: {parameter!r}")
        return _draw(world, operator, {parameter: given}, out, size=_size(size), ctx=ctx)

    function.__doc__ = f"Draw by {parameter}, a number or a tensor."
    return function


uniform = _two("_npi_uniform", "low", "high", (0.0, 1.0), typed=True)
normal = _two("_npi_normal", "loc", "scale", (0.0, 1.0), typed=True)
gumbel = _two("_npi_gumbel", "loc", "scale", (0.0, 1.0), typed=False)
logistic = _two("_npi_logistic", "loc", "scale", (0.0, 1.0), typed=False)
gamma = _two("_npi_gamma", "shape", "scale", (None, 1.0), typed=True)


def randint(
    world: NumpyWorld,
    low: int,
    high: int | None = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw whole numbers from `low` up to but not including `high`; from 0 where only one is given."""
    first, last = (0, low) if high is None else (low, high)
    shape = () if size is None else _size(size)
    return world.call(
        "_npi_random_randint", low=first, high=last, shape=shape, dtype=dtype or "int64", ctx=ctx, out=out
    )


def rand(world: NumpyWorld, *size: int, **kwargs: Any) -> Any:
    """Draw evenly from 0 up to 1, with the shape as arguments."""
    return uniform(world, 0, 1, size=size or None, **kwargs)


def randn(world: NumpyWorld, *size: int, **kwargs: Any) -> Any:
    """Draw from the standard normal distribution, with the shape as arguments."""
    return normal(world, 0.0, 1.0, size=size or None, **kwargs)


def choice(
    world: NumpyWorld, a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, out: Any = None
) -> Any:
    """Draw from the numbers below `a`, or from the elements of a tensor."""
    weights = () if p is None else (p,)
    params = {"size": _size(size), "replace": replace, "weighted": p is not None, "ctx": ctx}
    if world.is_tensor(a):
        positions = world.call("_npi_choice", a, *weights, out=out, **params)
        return world.call("take", a, positions, axis=0)
    return world.call("_npi_choice", *weights, a=a, out=out, **params)


def shuffle(world: NumpyWorld, x: Any) -> None:
    """Shuffle along the first dimension in place; in a trace that has no effect, as in MXNet."""
    world.call("_npi_shuffle", x, out=x)


def multinomial(world: NumpyWorld, n: int, pvals: Any, size: Any = None, **kwargs: Any) -> Any:
    """Draw how often each outcome comes in `n` trials. Raises ValueError for a numpy array."""
    if world.is_tensor(pvals):
        return world.call("_npi_multinomial", pvals, n=n, size=_size(size))
    if isinstance(pvals, np.ndarray):
        raise ValueError("numpy ndarray is not supported!")
    return world.call("_npi_multinomial", n=n, pvals=tuple(pvals), size=_size(size))


def multivariate_normal(
    world: NumpyWorld, mean: Any, cov: Any, size: Any = None, check_valid: Any = None, tol: Any = None
) -> Any:
    """Draw vectors by their means and covariances; leading axes of both are batches."""
    # Halves have no factors: the draws are made in single precision, and those of doubles in double.
    factor = world.call("_hl_covariance_factor", cov)
    each = world.call("zeros_like", mean) + world.call("_np_sum", world.call("zeros_like", cov), axis=-1)
    noise = world.call("_npi_normal_n", each, scale=1.0, size=_size(size))
    like = world.call("_hl_cast_like", world.call("expand_dims", noise, axis=-1), factor)
    spread = world.call("_np_squeeze", world.call("_npi_matmul", factor, like), axis=-1)
    return mean + world.call("_hl_cast_like", spread, mean)


def lognormal(
    world: NumpyWorld, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None
) -> Any:
    """Draw numbers whose logarithms are normally distributed."""
    return world.call("_npi_exp", normal(world, mean, sigma, size=size, dtype=dtype, ctx=ctx))


def chisquare(world: NumpyWorld, df: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Draw from the chi-square distribution of `df` degrees of freedom."""
    return gamma(world, df / 2, 2.0, size=size, dtype=dtype, ctx=ctx)


def beta(world: NumpyWorld, a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Draw from the beta distribution."""
    first = gamma(world, a, 1.0, size=size, dtype=dtype, ctx=ctx)
    return first / (first + gamma(world, b, 1.0, size=size, dtype=dtype, ctx=ctx))


def bernoulli(
    world: NumpyWorld,
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw 0 or 1 by a probability or its logit. Raises ValueError unless exactly one of them is given."""
    if (prob is None) == (logit is None):
        raise ValueError("Either `prob` or `logit` must be specified, but not both.")
    is_logit = logit is not None
    value = logit if is_logit else prob
    params = {"is_logit": is_logit, "size": _size(size), "dtype": dtype, "ctx": ctx, "out": out}
    if world.is_tensor(value):
        return world.call("_npi_bernoulli", value, **params)
    return world.call("_npi_bernoulli", **{"logit" if is_logit else "prob": value}, **params)


def _by_batch(operator: str, first: str, second: str) -> Function:
    def function(
        world: NumpyWorld, low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None
    ) -> Any:
        return _draw(world, operator, {first: low, second: high}, size=_size(batch_shape), dtype=dtype, ctx=ctx)

    function.__doc__ = f"Draw `batch_shape` times for each {first} and {second}."
    return function


FUNCTIONS: dict[str, Function] = {
    "beta": beta,
    "chisquare": chisquare,
    "choice": choice,
    "exponential": _one("_npi_exponential", "scale", 1.0, 1.0),
    "gamma": gamma,
    "gumbel": gumbel,
    "logistic": logistic,
    "lognormal": lognormal,
    "multinomial": multinomial,
    "multivariate_normal": multivariate_normal,
    "normal": normal,
    "pareto": _one("_npi_pareto", "a", None, None),
    "power": _one("_npi_powerd", "a", None, None),
    "rand": rand,
    "randint": randint,
    "randn": randn,
    "rayleigh": _one("_npi_rayleigh", "scale", 0.0, 1.0),
    "shuffle": shuffle,
    "uniform": uniform,
    "weibull": _one("_npi_weibull", "a", None, None),
}
EXTENSION: dict[str, Function] = {
    "bernoulli": bernoulli,
    "normal_n": _by_batch("_npi_normal_n", "loc", "scale"),
    "uniform_n": _by_batch("_npi_uniform_n", "low", "high"),
}
