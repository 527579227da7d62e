"""Draws have the mean and variance of their distribution, follow the seed and keep to their range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.types import InferError, TensorType

COUNT = 40_000

#: Distribution, parameters, mean, variance.
MOMENTS = [
    ("uniform", {"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    ("normal", {"loc": 2.0, "scale": 0.5}, 2.0, 0.25),
    ("gamma", {"alpha": 2.0, "beta": 1.5}, 3.0, 4.5),
    ("exponential", {"lam": 4.0}, 0.25, 1 / 16),
    ("poisson", {"lam": 3.0}, 3.0, 3.0),
    ("negative_binomial", {"k": 3, "p": 0.4}, 4.5, 11.25),
    ("generalized_negative_binomial", {"mu": 2.0, "alpha": 0.5}, 2.0, 4.0),
    ("generalized_negative_binomial", {"mu": 2.0, "alpha": 0.0}, 2.0, 2.0),
]


def run(name: str, *arrays: Any, seed: int = 11, **params: Any) -> Any:
    operator = registry.get(name)
    return operator.kernel(np, *arrays, **{**operator.defaults(), **params}, rng=np.random.default_rng(seed))


def check(drawn: Any, mean: float, variance: float) -> None:
    assert abs(drawn.mean() - mean) < 5 * math.sqrt(variance / drawn.size)
    assert abs(drawn.var() / variance - 1) < 0.1


@pytest.mark.parametrize(("name", "params", "mean", "variance"), MOMENTS)
def test_moments(name: str, params: dict[str, Any], mean: float, variance: float) -> None:
    check(run(f"_random_{name}", shape=(COUNT,), **params), mean, variance)
    check(run(f"_random_{name}_like", np.zeros(COUNT, "float32"), **params), mean, variance)


@pytest.mark.parametrize(("name", "params", "mean", "variance"), MOMENTS)
def test_moments_of_each_row(name: str, params: dict[str, Any], mean: float, variance: float) -> None:
    arrays = [np.array([value, value], "float32") for value in params.values()]
    drawn = run(f"_sample_{name}", *arrays, shape=(COUNT,))
    assert drawn.shape == (2, COUNT)
    for row in drawn:
        check(row, mean, variance)


def test_whole_numbers_cover_their_range() -> None:
    assert set(run("_random_randint", low=-2, high=3, shape=(500,)).tolist()) == {-2, -1, 0, 1, 2}


def test_multinomial_follows_probabilities() -> None:
    data = np.array([[0.2, 0.8, 0.0], [0.5, 0.25, 0.25]], "float32")
    indices, logarithms = run("_sample_multinomial", data, shape=(COUNT,), get_prob=True)
    for row, probabilities in zip(indices, data, strict=True):
        np.testing.assert_allclose(np.bincount(row, minlength=3) / COUNT, probabilities, atol=0.02)
    np.testing.assert_allclose(logarithms, np.log(np.take_along_axis(data, indices, axis=1)))


def test_shuffle_keeps_rows() -> None:
    data = np.arange(20.0).reshape(10, 2)
    shuffled = run("_shuffle", data)
    assert sorted(map(tuple, shuffled.tolist())) == sorted(map(tuple, data.tolist()))
    assert not np.array_equal(shuffled, data)


def test_seed_repeats() -> None:
    first = run("_random_normal", shape=(5,), seed=1)
    np.testing.assert_array_equal(first, run("_random_normal", shape=(5,), seed=1))
    assert not np.array_equal(first, run("_random_normal", shape=(5,), seed=2))


def test_shape_is_one_number_or_inferred() -> None:
    assert run("_random_uniform").shape == (1,)
    operator = registry.get("_random_uniform")
    assert operator.infer_types((), operator.defaults()) == (TensorType(None, "float32"),)


def test_whole_numbers_as_dtype_are_refused() -> None:
    operator = registry.get("_random_normal")
    with pytest.raises(InferError, match="int32"):
        operator.infer_types((), {**operator.defaults(), "shape": (2,), "dtype": "int32"})
