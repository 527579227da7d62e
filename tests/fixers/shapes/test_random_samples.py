"""Random numbers that are drawn in the shape of a tensor."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

UNSAFE = {
    "of a whole shape": (
        "return x + F.random.normal(0, 1, shape=x.shape)",
        "return x + F.random.normal_like(x, loc=0, scale=1)",
    ),
    "beside the tensor that they are multiplied with": (
        "mu = F.relu(y)\neps = F.random.normal(shape=(x.shape[0], self.units))\nreturn F.exp(0.5 * mu) * eps",
        "mu = F.relu(y)\neps = F.random.normal_like(mu)\nreturn F.exp(0.5 * mu) * eps",
    ),
    "of a part": (
        "return self.net(F.random.normal(shape=(x.shape[0], 1, x.shape[2])))",
        "return self.net(F.random.normal_like(F.slice_axis(x, axis=1, begin=0, end=1)))",
    ),
    "of the operator": (
        "eps = F.random_normal(loc=0, scale=2, shape=x.shape, ctx=x.context)\nreturn x + eps",
        "eps = F.random.normal_like(x, loc=0, scale=2)\nreturn x + eps",
    ),
    "of the operator by its short name": (
        "return self.net(F.uniform(-1, 1, shape=x.shape))",
        "return self.net(F.random.uniform_like(x, low=-1, high=1))",
    ),
    "of a rate": (
        "return x + F.random_exponential(2.0, shape=x.shape)",
        "return x + F.random.exponential_like(x, lam=2.0)",
    ),
    "by sizes one by one": (
        "b, d = x.shape\nnoise = F.random.randn(b, d) * 0.1\nreturn x + noise",
        "noise = F.random.normal_like(x) * 0.1\nreturn x + noise",
    ),
    "by a starred shape": (
        "return x + 0.1 * nd.random.randn(*x.shape, ctx=x.context)",
        "return x + 0.1 * F.random.normal_like(x)",
    ),
    "of a function of mx.nd": (
        "return y * nd.random.uniform(low=0, high=1, shape=(x.shape[0], 3))",
        "return F.broadcast_mul(y, F.random.uniform_like(y, low=0, high=1))",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_drawn_like_a_tensor(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after


def test_of_a_known_dtype() -> None:
    before = 'z = F.cast(x, dtype="float32")\nreturn F.random.uniform(shape=z.shape)'
    after = 'z = F.cast(x, dtype="float32")\nreturn F.random.uniform_like(z)'
    assert fixed(before) == after


SINGLE = {
    "added to the tensor, after an early return": (
        "if self.flag:\n    return F.relu(x)\nz = F.random.normal(shape=x.shape)\nreturn x + F.exp(y) * z"
    ),
    "added to the tensor": "return x + 0.1 * F.random.normal(shape=x.shape)",
    "multiplied with what is computed of it": (
        "z = F.random.uniform(shape=x.shape)\nw = F.relu(x)\nreturn F.broadcast_mul(w, 1 - z)"
    ),
}


@pytest.mark.parametrize("body", SINGLE.values(), ids=SINGLE.keys())
def test_what_the_numbers_meet_is_in_single_precision(body: str) -> None:
    """Drawn by a shape, they are; legacy operators raise where they meet another dtype, so that none is lost."""
    assert "_like(x" in fixed(body) == fixed(body, unsafe=True)


def test_the_shape_may_be_given_by_position() -> None:
    before = "return x * F.random.negative_binomial(1, 0.5, (1, x.shape[1]))"
    row = "F.slice_axis(x, axis=0, begin=0, end=1)"
    assert f"F.random.negative_binomial_like({row}, k=1, p=0.5)" in fixed(before, unsafe=True)


@pytest.mark.parametrize("setting", ["4.0", "scale=4.0"])
def test_the_scale_of_an_exponential_distribution_is_not_the_rate_of_its_operator(setting: str) -> None:
    body = f"return x + F.random.exponential({setting}, shape=x.shape)"
    assert fixed(body, unsafe=True) == body


UNKNOWN = {
    "met by nothing": "return F.random.normal(shape=x.shape)",
    "met by another tensor": "return y + F.random.normal(shape=x.shape)",
    "met in another dtype": "z = F.random.uniform(shape=x.shape)\nreturn z.astype('float16') * x",
    "met in one branch": "z = F.random.normal(shape=x.shape)\nif self.noisy:\n    return x + z\nreturn z",
}


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_the_numbers_do_not_meet_may_be_of_any_dtype(body: str) -> None:
    assert "_like" not in fixed(body)
    assert "_like" in fixed(body, unsafe=True)


OTHERS = {
    "beside nothing": "eps = F.random.normal(shape=(x.shape[0], 3))\nreturn self.net(eps)",
    "beside a tensor that is made later": (
        "eps = F.random.normal(shape=(x.shape[0], 3))\nmu = F.relu(y)\nreturn mu * eps"
    ),
    "beside two tensors": "eps = F.random.normal(shape=(x.shape[0], 3))\nreturn x * eps, y * eps",
    "beside a tensor that broadcasts": (
        "z = F.ones((1, 4, 1))\nreturn z * F.random.normal(shape=(x.shape[0], 4, y.shape[1]))"
    ),
    "beside a tensor of another rank": "z = F.ones((2, 3))\nreturn z * F.random.normal(shape=(x.shape[0], 2, 3))",
    "of one column, beside what may have more": "return y * F.random.normal(shape=(x.shape[0] * 2, 1))",
    "of a dtype": "return y * F.random.normal(shape=(x.shape[0], 3), dtype='float64')",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_left_alone(body: str) -> None:
    assert "_like" not in fixed(body, unsafe=True)
