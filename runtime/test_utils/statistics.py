"""Checks that random numbers follow a distribution. Those on buckets need scipy, which is no dependency."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.test_utils.comparison import plain


def gen_buckets_probs_with_ppf(ppf: Callable[[float], float], nbuckets: int) -> tuple[list[Any], list[float]]:
    """Return buckets of equal probability from the inverse of a cumulative distribution."""
    share = 1.0 / nbuckets
    return [(ppf(share * k), ppf(share * (k + 1))) for k in range(nbuckets)], [share] * nbuckets


def mean_check(generator: Callable[[int], Any], mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """Return whether the mean of samples lies where it does in all but one of some thousand cases."""
    mean = np.mean(np.asarray(plain(generator(nsamples)), np.float64))
    return bool(abs(mean - mu) < 3 * sigma / np.sqrt(nsamples))


def var_check(generator: Callable[[int], Any], sigma: float, nsamples: int = 1000000) -> bool:
    """Return whether the variance of samples is near ``sigma ** 2``."""
    samples = np.asarray(plain(generator(nsamples)), np.float64)
    return bool(abs(samples.var(ddof=1) - sigma**2) < 5 * sigma**2 * np.sqrt(2 / (nsamples - 1)))


def chi_square_check(
    generator: Callable[[int], Any], buckets: Sequence[Any], probs: Sequence[float], nsamples: int = 1000000
) -> tuple[float, Any, Any]:
    """Return the p-value of Pearson's test, and how many samples fell into each bucket and should have.

    Buckets are pairs of bounds, or values. Raises ValueError if there are none.
    """
    if not buckets:
        raise ValueError("there are no buckets")
    samples = np.asarray(plain(generator(nsamples))).reshape(-1)
    expected = (nsamples * np.asarray(probs, np.float64)).astype(np.int64)
    found = np.array([_count(samples, bucket) for bucket in buckets])
    stats = importlib.import_module("scipy.stats")
    _, p = stats.chisquare(f_obs=found, f_exp=expected * (found.sum() / expected.sum()))
    return float(p), found, expected


def _count(samples: Any, bucket: Any) -> int:
    if isinstance(bucket, (list, tuple)):
        return int(np.sum((samples >= bucket[0]) & (samples < bucket[1])))
    return int(np.sum(samples == bucket))


def verify_generator(
    generator: Callable[[int], Any],
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Return p-values of repeated tests. Raises AssertionError if too few of them exceed `alpha`."""
    found = [chi_square_check(generator, buckets, probs, nsamples)[0] for _ in range(nrepeat)]
    passed = sum(p > alpha for p in found)
    if passed < nrepeat * success_rate:
        raise AssertionError(f"Samples do not follow the distribution: p-values {found}")
    return found
