"""Probability densities of samples. The shape of the samples begins with the shape of the parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Kernel, op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.elementwise.special import digamma, gammaln
from hybridlint.runtime.ops.type_rules import one_dtype

#: ``(xp, x, *parameters)`` -> the logarithm of the density, or its slopes along x and each parameter.
Density: TypeAlias = Callable[..., Any]


def _infer(samples: TensorType, *parameters: TensorType) -> TensorType:
    """Return the output type, that of the samples.

    Raises InferError unless the shape of the samples begins with the shape of the parameters.
    """
    dtype = one_dtype(samples, *parameters, argument="sample")
    shape = parameters[0].shape
    for other in parameters[1:]:
        shape = unify_shapes(shape, other.shape, "parameters")
    if shape is None or samples.shape is None:
        return TensorType(samples.shape, dtype)
    if len(shape) > len(samples.shape):
        raise InferError("sample", f"{samples} does not begin with {TensorType(shape)}")
    begun = unify_shapes(shape, samples.shape[: len(shape)], "sample")
    return TensorType((*(begun or ()), *samples.shape[len(shape) :]), dtype)


def _infer_vectors(samples: TensorType, alpha: TensorType) -> TensorType:
    dtype = one_dtype(samples, alpha, argument="sample")
    for name, t in (("sample", samples), ("alpha", alpha)):
        if t.shape is not None and not t.shape:
            raise InferError(name, "expected at least one dimension")
    if samples.shape is None or alpha.shape is None:
        return TensorType(None if samples.shape is None else samples.shape[:-1], dtype)
    unify_shapes(alpha.shape[-1:], samples.shape[-1:], "sample")
    return _infer(samples.with_shape(samples.shape[:-1]), alpha.with_shape(alpha.shape[:-1])).with_dtype(dtype)


def _widened(x: Any, parameter: Any, vector: int = 0) -> Any:
    """Return a parameter in float64, reshaped to broadcast to the samples `x`.

    New dimensions of size 1 are inserted before the last `vector` ones.
    """
    head, tail = (parameter.shape, ()) if not vector else (parameter.shape[:-1], parameter.shape[-1:])
    return parameter.reshape(*head, *(1,) * (x.ndim - parameter.ndim), *tail).astype("float64")


def _density(log_density: Density, x: Any, parameters: tuple[Any, ...], xp: Any, is_log: bool, vector: int = 0) -> Any:
    wide = [_widened(x, p, vector) for p in parameters]
    result = xp.asarray(log_density(xp, x.astype("float64"), *wide))
    result = xp.broadcast_to(result, x.shape[: x.ndim - vector])
    return (result if is_log else xp.exp(result)).astype(x.dtype)


def _pulled(
    log_density: Density,
    slopes: Density,
    g: Any,
    x: Any,
    parameters: tuple[Any, ...],
    xp: Any,
    is_log: bool,
    vector: int,
) -> tuple[Any, ...]:
    wide = [_widened(x, p, vector) for p in parameters]
    at = x.astype("float64")
    head = g if is_log else g * xp.exp(log_density(xp, at, *wide))
    if vector:
        head = head[..., None]
    results = []
    for source, slope in zip((x, *parameters), slopes(xp, at, *wide), strict=True):
        full = xp.broadcast_to(head * slope, x.shape)
        last = source.ndim - vector
        axes = tuple(range(last, x.ndim - vector))
        results.append(full.sum(axis=axes).astype(source.dtype))
    return tuple(results)


#: With the bound that samples of the uniform distribution give, low is drawn below high.
_POSITIVE: dict[str, float] = {"low": 0.3, "high": 0.9}


def density(log_density: Density, slopes: Density, vector: int = 0, **bounds: float) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers ``(xp, sample, *parameters, /, *, is_log)`` as a density, with its gradient."""

    def register(kernel: Kernel) -> Kernel:
        name = kernel.__name__
        count = kernel.__code__.co_posonlyargcount - 2
        gradient = "_hl_" + name.removeprefix("_random_") + "_grad"
        drawn: dict[str, Any] = {**_POSITIVE, **bounds}
        tail = (2,) * vector
        shapes = (((2, 3, *tail), *((2, *tail),) * count), ((2, *tail), *((2, *tail),) * count))
        _register_gradient(gradient, log_density, slopes, count, vector, drawn)
        return op(
            name=name,
            aliases=(name[1:],),
            infer=_infer_vectors if vector else _infer,
            grad=lambda F, g, ins, outs, *, is_log: tuple(getattr(F, gradient)(g, *ins, is_log=is_log)),
            samples=[sample(*shapes[0], **drawn), sample(*shapes[1], is_log=True, **drawn)],
        )(kernel)

    return register


def _register_gradient(
    name: str, log_density: Density, slopes: Density, count: int, vector: int, drawn: dict[str, Any]
) -> None:
    tail = (2,) * vector

    def one(xp: Any, g: Any, samples: Any, first: Any, /, *, is_log: bool) -> tuple[Any, ...]:
        """Gradients of a density's samples and parameter."""
        return _pulled(log_density, slopes, g, samples, (first,), xp, is_log, vector)

    def two(xp: Any, g: Any, samples: Any, first: Any, second: Any, /, *, is_log: bool) -> tuple[Any, ...]:
        """Gradients of a density's samples and parameters."""
        return _pulled(log_density, slopes, g, samples, (first, second), xp, is_log, vector)

    op(
        name=name,
        infer=lambda g, *ins: tuple(ins),
        outputs=1 + count,
        samples=[sample((2, 3), (2, 3, *tail), *((2, *tail),) * count, is_log=False, **drawn)],
    )(one if count == 1 else two)


def _normal(xp: Any, x: Any, mu: Any, sigma: Any) -> Any:
    return -xp.square((x - mu) / sigma) / 2 - xp.log(sigma) - math.log(2 * math.pi) / 2


def _normal_slopes(xp: Any, x: Any, mu: Any, sigma: Any) -> tuple[Any, ...]:
    gap = (x - mu) / sigma
    return -gap / sigma, gap / sigma, (gap * gap - 1) / sigma


@density(_normal, _normal_slopes)
def _random_pdf_normal(xp: Any, sample: Any, mu: Any, sigma: Any, /, *, is_log: bool = False) -> Any:
    """Return the density of the normal distribution, or its logarithm."""
    return _density(_normal, sample, (mu, sigma), xp, is_log)


def _uniform(xp: Any, x: Any, low: Any, high: Any) -> Any:
    return -xp.log(high - low) + 0 * x


def _uniform_slopes(xp: Any, x: Any, low: Any, high: Any) -> tuple[Any, ...]:
    return 0 * x, 1 / (high - low), -1 / (high - low)


@density(_uniform, _uniform_slopes, high=0.93)
def _random_pdf_uniform(xp: Any, sample: Any, low: Any, high: Any, /, *, is_log: bool = False) -> Any:
    """Return the density of the uniform distribution, or its logarithm; as in MXNet, also for samples out of range."""
    return _density(_uniform, sample, (low, high), xp, is_log)


def _gamma(xp: Any, x: Any, alpha: Any, beta: Any) -> Any:
    return alpha * xp.log(beta) + (alpha - 1) * xp.log(x) - beta * x - gammaln(xp, alpha)


def _gamma_slopes(xp: Any, x: Any, alpha: Any, beta: Any) -> tuple[Any, ...]:
    return (alpha - 1) / x - beta, xp.log(beta) + xp.log(x) - digamma(xp, alpha), alpha / beta - x


@density(_gamma, _gamma_slopes)
def _random_pdf_gamma(xp: Any, sample: Any, alpha: Any, beta: Any, /, *, is_log: bool = False) -> Any:
    """Return the density of the gamma distribution of shape alpha and rate beta, or its logarithm."""
    return _density(_gamma, sample, (alpha, beta), xp, is_log)


def _exponential(xp: Any, x: Any, lam: Any) -> Any:
    return xp.log(lam) - lam * x


def _exponential_slopes(xp: Any, x: Any, lam: Any) -> tuple[Any, ...]:
    return -lam, 1 / lam - x


@density(_exponential, _exponential_slopes)
def _random_pdf_exponential(xp: Any, sample: Any, lam: Any, /, *, is_log: bool = False) -> Any:
    """Return the density of the exponential distribution of rate lam, or its logarithm."""
    return _density(_exponential, sample, (lam,), xp, is_log)


def _poisson(xp: Any, x: Any, lam: Any) -> Any:
    held = xp.where(x < 0, 0, x)
    return xp.where(x < 0, -math.inf, held * xp.log(lam) - gammaln(xp, held + 1) - lam)


def _poisson_slopes(xp: Any, x: Any, lam: Any) -> tuple[Any, ...]:
    return 0 * x, xp.where(x < 0, 0, x / lam - 1)


@density(_poisson, _poisson_slopes)
def _random_pdf_poisson(xp: Any, sample: Any, lam: Any, /, *, is_log: bool = False) -> Any:
    """Return the probability of the Poisson distribution of rate lam, or its logarithm."""
    return _density(_poisson, sample, (lam,), xp, is_log)


def _failures(xp: Any, x: Any, k: Any, p: Any) -> Any:
    counts = gammaln(xp, x + k) - gammaln(xp, x + 1) - gammaln(xp, k)
    return counts + k * xp.log(p) + x * xp.log(1 - p)


def _failures_slopes(xp: Any, x: Any, k: Any, p: Any) -> tuple[Any, ...]:
    return 0 * x, xp.log(p) + digamma(xp, x + k) - digamma(xp, k), k / p - x / (1 - p)


@density(_failures, _failures_slopes)
def _random_pdf_negative_binomial(xp: Any, sample: Any, k: Any, p: Any, /, *, is_log: bool = False) -> Any:
    """Return the probability of `sample` failures before k successes of probability p, or its logarithm."""
    return _density(_failures, sample, (k, p), xp, is_log)


def _dispersed(xp: Any, x: Any, mu: Any, alpha: Any) -> Any:
    return _failures(xp, x, 1 / alpha, 1 / (1 + mu * alpha))


def _dispersed_slopes(xp: Any, x: Any, mu: Any, alpha: Any) -> tuple[Any, ...]:
    p = 1 / (1 + mu * alpha)
    into_x, into_k, into_p = _failures_slopes(xp, x, 1 / alpha, p)
    return into_x, -into_p * alpha * p * p, -into_k / (alpha * alpha) - into_p * mu * p * p


@density(_dispersed, _dispersed_slopes)
def _random_pdf_generalized_negative_binomial(
    xp: Any, sample: Any, mu: Any, alpha: Any, /, *, is_log: bool = False
) -> Any:
    """Return the probability of counts under the negative binomial distribution of mean mu, or its logarithm.

    `alpha` is the dispersion.
    """
    return _density(_dispersed, sample, (mu, alpha), xp, is_log)


def _dirichlet(xp: Any, x: Any, alpha: Any) -> Any:
    total = gammaln(xp, alpha.sum(axis=-1)) - gammaln(xp, alpha).sum(axis=-1)
    return ((alpha - 1) * xp.log(x)).sum(axis=-1) + total


def _dirichlet_slopes(xp: Any, x: Any, alpha: Any) -> tuple[Any, ...]:
    total = digamma(xp, alpha.sum(axis=-1, keepdims=True))
    return (alpha - 1) / x, xp.log(x) + total - digamma(xp, alpha)


@density(_dirichlet, _dirichlet_slopes, vector=1)
def _random_pdf_dirichlet(xp: Any, sample: Any, alpha: Any, /, *, is_log: bool = False) -> Any:
    """Return the density of vectors in the last dimension under the Dirichlet distribution, or its logarithm."""
    return _density(_dirichlet, sample, (alpha,), xp, is_log, vector=1)
