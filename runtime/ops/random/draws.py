"""Random numbers of a given shape, or in the shape of an array, by distributions whose parameters are numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.registry import Kernel, Sample, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, InferError, Ints, LateError, TensorType
from hybridlint.runtime.ops.arrays.creation import checked_shape, declared_shape
from hybridlint.runtime.ops.random import distributions as draw

FLOATS = ("float16", "float32", "float64")


def size_of(shape: Ints | None) -> Ints:
    """Return the shape to draw, (1,) if none is given. Raises ValueError if a size is unknown."""
    return (1,) if shape is None else checked_shape(shape)


def _require(holds: bool, what: str) -> None:
    """Raise LateError unless a condition on a distribution's parameters holds."""
    if not holds:
        raise LateError(what)


def cast(xp: Any, drawn: Any, dtype: Any) -> Any:
    """Return drawn numbers as an array of the array module, in `dtype` (None: float32)."""
    return xp.asarray(drawn).astype(dtype or "float32", copy=False)


def infer_numbers(*, shape: Ints | None, dtype: Dtype | None) -> TensorType:
    """Return the output type of a draw. Raises InferError for a dtype that is not floating-point."""
    if dtype not in {None, *FLOATS}:
        raise InferError("dtype", f"{dtype} is none of {', '.join(FLOATS)}")
    return TensorType(declared_shape(shape), dtype or "float32")


@reversed_by(same)
def _infer_like(data: TensorType, /) -> TensorType:
    if data.dtype not in {None, *FLOATS}:
        raise InferError("data", f"dtype {data.dtype} is none of {', '.join(FLOATS)}")
    return data


def numbers(*aliases: str, host: str | None = None) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers a draw of a given shape, with parameters that are numbers."""
    samples = [sample(shape=(2, 3)), sample(shape=(4,), dtype="float64")]
    return op(infer=infer_numbers, samples=samples, aliases=aliases, host=host)


def like(kernel: Kernel, *, host: str | None = None) -> Kernel:
    """Register a draw in the shape and dtype of an input array."""
    samples = [sample((2, 3)), sample((4,), dtypes=("float64",))]
    return op(infer=_infer_like, grad=zero_gradient, samples=samples, host=host)(kernel)


@numbers("random_uniform", "uniform")
def _random_uniform(
    xp: Any,
    /,
    *,
    low: float = 0.0,
    high: float = 1.0,
    shape: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    rng: Any,
) -> Any:
    """Draw uniformly from low up to high."""
    _require(high >= low, "low must be at most high")
    return cast(xp, draw.uniform(rng, size_of(shape), low, high), dtype)


@like
def _random_uniform_like(xp: Any, data: Any, /, *, low: float = 0.0, high: float = 1.0, rng: Any) -> Any:
    """Draw uniformly from low up to high, in the shape and dtype of an array."""
    _require(high >= low, "low must be at most high")
    return cast(xp, draw.uniform(rng, data.shape, low, high), data.dtype)


@numbers("random_normal", "normal")
def _random_normal(
    xp: Any,
    /,
    *,
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    rng: Any,
) -> Any:
    """Draw from the normal distribution."""
    _require(scale > 0, "scale must be positive")
    return cast(xp, draw.normal(rng, size_of(shape), loc, scale), dtype)


@like
def _random_normal_like(xp: Any, data: Any, /, *, loc: float = 0.0, scale: float = 1.0, rng: Any) -> Any:
    """Draw from the normal distribution, in the shape and dtype of an array."""
    _require(scale > 0, "scale must be positive")
    return cast(xp, draw.normal(rng, data.shape, loc, scale), data.dtype)


@numbers("random_gamma")
def _random_gamma(
    xp: Any,
    /,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    rng: Any,
) -> Any:
    """Draw from the gamma distribution of shape alpha and scale beta."""
    _require(alpha > 0 and beta > 0, "alpha and beta must be positive")
    return cast(xp, draw.gamma(rng, size_of(shape), alpha, beta), dtype)


@like
def _random_gamma_like(xp: Any, data: Any, /, *, alpha: float = 1.0, beta: float = 1.0, rng: Any) -> Any:
    """Draw from the gamma distribution of shape alpha and scale beta, in the shape and dtype of an array."""
    _require(alpha > 0 and beta > 0, "alpha and beta must be positive")
    return cast(xp, draw.gamma(rng, data.shape, alpha, beta), data.dtype)


@numbers("random_exponential")
def _random_exponential(
    xp: Any, /, *, lam: float = 1.0, shape: Ints | None = None, ctx: str = "", dtype: Dtype | None = None, rng: Any
) -> Any:
    """Draw from the exponential distribution of rate lam."""
    _require(lam > 0, "lam must be positive")
    return cast(xp, draw.exponential(rng, size_of(shape), lam), dtype)


@like
def _random_exponential_like(xp: Any, data: Any, /, *, lam: float = 1.0, rng: Any) -> Any:
    """Draw from the exponential distribution of rate lam, in the shape and dtype of an array."""
    _require(lam > 0, "lam must be positive")
    return cast(xp, draw.exponential(rng, data.shape, lam), data.dtype)


@numbers("random_poisson")
def _random_poisson(
    xp: Any, /, *, lam: float = 1.0, shape: Ints | None = None, ctx: str = "", dtype: Dtype | None = None, rng: Any
) -> Any:
    """Draw from the Poisson distribution of rate lam."""
    _require(lam >= 0, "lam must not be negative")
    return cast(xp, draw.poisson(rng, size_of(shape), lam), dtype)


@like
def _random_poisson_like(xp: Any, data: Any, /, *, lam: float = 1.0, rng: Any) -> Any:
    """Draw from the Poisson distribution of rate lam, in the shape and dtype of an array."""
    _require(lam >= 0, "lam must not be negative")
    return cast(xp, draw.poisson(rng, data.shape, lam), data.dtype)


@numbers("random_negative_binomial", host=draw.NOT_IN_CUPY)
def _random_negative_binomial(
    xp: Any,
    /,
    *,
    k: int = 1,
    p: float = 1.0,
    shape: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    rng: Any,
) -> Any:
    """Draw the number of failures before k successes of probability p."""
    _require(k >= 0, "k must not be negative")
    return cast(xp, draw.negative_binomial(rng, size_of(shape), k, p), dtype)


@partial(like, host=draw.NOT_IN_CUPY)
def _random_negative_binomial_like(xp: Any, data: Any, /, *, k: int = 1, p: float = 1.0, rng: Any) -> Any:
    """Draw the number of failures before k successes of probability p, in the shape and dtype of an array."""
    _require(k >= 0, "k must not be negative")
    return cast(xp, draw.negative_binomial(rng, data.shape, k, p), data.dtype)


@numbers("random_generalized_negative_binomial")
def _random_generalized_negative_binomial(
    xp: Any,
    /,
    *,
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    rng: Any,
) -> Any:
    """Draw from the negative binomial distribution of mean mu and dispersion alpha."""
    _require(mu >= 0 and alpha >= 0, "mu and alpha must not be negative")
    return cast(xp, draw.generalized_negative_binomial(rng, size_of(shape), mu, alpha), dtype)


@like
def _random_generalized_negative_binomial_like(
    xp: Any, data: Any, /, *, mu: float = 1.0, alpha: float = 1.0, rng: Any
) -> Any:
    """Draw from the negative binomial distribution of mean mu, in the shape and dtype of an array."""
    _require(mu >= 0 and alpha >= 0, "mu and alpha must not be negative")
    return cast(xp, draw.generalized_negative_binomial(rng, data.shape, mu, alpha), data.dtype)


def _infer_randint(*, low: int, high: int, shape: Ints | None, dtype: Dtype | None) -> TensorType:
    if dtype not in {None, "int32", "int64"}:
        raise InferError("dtype", f"{dtype} is none of int32, int64")
    if low >= high:
        raise InferError("high", f"{high} is not above low, {low}")
    return TensorType(declared_shape(shape), dtype or "int32")


@op(
    infer=_infer_randint,
    samples=[
        Sample((), {"low": 0, "high": 5, "shape": (2, 3)}),
        Sample((), {"low": -3, "high": 3, "shape": (4,), "dtype": "int64"}),
    ],
    aliases=("random_randint",),
)
def _random_randint(
    xp: Any, /, *, low: int, high: int, shape: Ints | None = None, ctx: str = "", dtype: Dtype | None = None, rng: Any
) -> Any:
    """Draw whole numbers from low up to but not including high."""
    return cast(xp, rng.integers(low, high, size_of(shape)), dtype or "int32")
