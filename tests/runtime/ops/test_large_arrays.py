"""Operators that compute many elements in another way than few: results are equal, or within roundings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.ops.choosing import select

_MANY = 40000
_SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-10, -1e-10, 30, -30, 100, -100], np.float32)


def _numbers() -> np.ndarray[Any, Any]:
    drawn = np.random.default_rng(0).normal(scale=3, size=_MANY).astype(np.float32)
    drawn[: len(_SPECIAL)] = _SPECIAL
    return drawn


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32", "int64"])
def test_select_is_where(dtype: str) -> None:
    x = (np.random.default_rng(0).normal(size=(200, 200)) * 50).astype(dtype)
    condition = x > x.T
    pairs: list[tuple[Any, Any]] = [(x, x.T), (x, 0), (3, x), (x, x[:, :1]), (x[:1], x)]
    for one, other in pairs:
        found = select(np, condition, one, other)
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found, np.where(condition, one, other))
    np.testing.assert_array_equal(select(np, condition[:1], x, x.T), np.where(condition[:1], x, x.T))


def test_select_keeps_what_is_no_number() -> None:
    x = np.resize(_SPECIAL, _MANY)
    found = select(np, ~np.isnan(x), np.float32(1), x)
    np.testing.assert_array_equal(found, np.where(~np.isnan(x), np.float32(1), x))


@pytest.mark.parametrize("slope", [0.0, 0.1, 1.0, 2.0, -0.5])
def test_leaky_takes_the_slope_of_negative_numbers(slope: float) -> None:
    x = _numbers()
    with np.errstate(invalid="ignore"):
        expected = np.where(x > 0, x, x * np.float32(slope))
        found = mx.nd.LeakyReLU(mx.nd.array(x), slope=slope).asnumpy()
    np.testing.assert_array_equal(found, expected)


def test_softrelu_is_exact_in_both_tails() -> None:
    x = _numbers()
    found = mx.nd.Activation(mx.nd.array(x), act_type="softrelu").asnumpy()
    # Three roundings of terms that are not larger than the result, one of the exponential.
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp(x.astype(np.float64), 0)
    np.testing.assert_allclose(found, expected, rtol=5e-7, atol=1e-37)


def test_gelu_of_many_is_that_of_few() -> None:
    x = _numbers()
    found = mx.nd.LeakyReLU(mx.nd.array(x), act_type="gelu").asnumpy()
    few = [mx.nd.LeakyReLU(mx.nd.array(part), act_type="gelu").asnumpy() for part in x.reshape(-1, 500)]
    np.testing.assert_allclose(found, np.concatenate(few), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_one_hot_leaves_out_what_is_out_of_range(dtype: str) -> None:
    indices = mx.nd.array([[-1, 0, 1.9], [2, 3, -0.5]], dtype=dtype)
    found = mx.nd.one_hot(indices, 3, on_value=2, off_value=-1).asnumpy()
    expected = np.full((2, 3, 3), -1.0)
    for place, index in np.ndenumerate(np.trunc(indices.asnumpy()).astype(int)):
        if 0 <= index < 3:
            expected[(*place, index)] = 2
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("length", "k"), [(10, 1), (40, 3), (40, 20), (400, 40), (401, 50)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "uint8"])
@pytest.mark.parametrize("extra", [None, np.inf, -np.inf, np.nan])
def test_topk_takes_equal_elements_in_their_order(length: int, k: int, dtype: str, extra: float | None) -> None:
    drawn = np.random.default_rng(0).integers(0, 30, size=(3, length, 2)).astype(dtype)
    if extra is not None and dtype.startswith("float"):
        drawn[1, -3:] = extra
    x = mx.nd.array(drawn, dtype=dtype)
    for is_ascend in (False, True):
        every = mx.nd.argsort(x, axis=1, is_ascend=is_ascend).asnumpy()
        found = mx.nd.topk(x, k=k, axis=1, is_ascend=is_ascend).asnumpy()
        np.testing.assert_array_equal(found, every[:, :k])


def test_multinomial_draws_by_the_probabilities_however_many() -> None:
    chances = np.array([[0.5, 0, 0.25, 0.25], [0, 0, 0, 1]], np.float32)
    for count in (400, 4000):
        mx.random.seed(1)
        drawn = mx.nd.random.multinomial(mx.nd.array(chances), shape=count).asnumpy()
        shares = np.stack([np.bincount(row, minlength=4) / count for row in drawn])
        # Five standard deviations of a share of one half.
        np.testing.assert_allclose(shares, chances, atol=2.5 / count**0.5)
        assert not shares[chances == 0].any()


@pytest.mark.parametrize("beta", [0.5, 0.75])
def test_lrn(beta: float) -> None:
    x = np.random.default_rng(0).normal(size=(2, 7, 3, 3))
    found = mx.nd.LRN(mx.nd.array(x, dtype="float64"), nsize=3, alpha=0.5, beta=beta, knorm=1.5).asnumpy()
    around = np.pad(x**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    base = 1.5 + 0.5 / 3 * (around[:, :-2] + around[:, 1:-1] + around[:, 2:])
    np.testing.assert_allclose(found, x / base**beta, rtol=1e-12)


@pytest.mark.parametrize("exponent", [-3, -2, -1, 0, 1, 2, 3, 4, 0.5])
def test_powers_of_negative_numbers(exponent: float) -> None:
    x = np.concatenate([_SPECIAL, [-1.5, 2.5]]).astype(np.float32)
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), exponent).astype(np.float32)
    array = mx.nd.array(x)
    found = (array**exponent).asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    array **= exponent
    np.testing.assert_array_equal(array.asnumpy(), found)
