"""Random draws by distribution: ``(rng, size, *parameters) -> float64 array``; parameters are numbers or arrays.

Raises ValueError for parameters outside of the distribution's range.
"""

from __future__ import annotations

from typing import Any, Final

#: Why a draw is made in main memory: what CuPy's generator has no method for.
NOT_IN_CUPY: Final = "CuPy's generator does not know this distribution"


def uniform(rng: Any, size: tuple[int, ...], low: Any, high: Any) -> Any:
    """Draw evenly from low up to high."""
    return low + (high - low) * rng.random(size)


def normal(rng: Any, size: tuple[int, ...], loc: Any, scale: Any) -> Any:
    """Draw from the normal distribution of mean loc and deviation scale."""
    return loc + scale * rng.standard_normal(size)


def gamma(rng: Any, size: tuple[int, ...], alpha: Any, beta: Any) -> Any:
    """Draw from the gamma distribution of shape alpha and scale beta."""
    return rng.gamma(alpha, beta, size)


def exponential(rng: Any, size: tuple[int, ...], lam: Any) -> Any:
    """Draw from the exponential distribution of rate lam."""
    return rng.standard_exponential(size) / lam


def poisson(rng: Any, size: tuple[int, ...], lam: Any) -> Any:
    """Draw from the Poisson distribution of rate lam."""
    return rng.poisson(lam, size)


def negative_binomial(rng: Any, size: tuple[int, ...], k: Any, p: Any) -> Any:
    """Draw the number of failures before k successes of probability p."""
    return rng.negative_binomial(k, p, size)


def generalized_negative_binomial(rng: Any, size: tuple[int, ...], mu: Any, alpha: Any) -> Any:
    """Draw from a Poisson distribution whose rate is gamma distributed with mean mu; alpha 0 leaves it at mu."""
    spread = alpha + (alpha == 0)
    rates = rng.gamma(1 / spread, mu * spread, size)
    return rng.poisson(rates * (alpha != 0) + mu * (alpha == 0), size)
