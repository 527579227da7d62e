"""Random numbers that do not depend on those drawn before."""

from __future__ import annotations

import numpy as np

import hybridlint.runtime as mx
from hybridlint.runtime import nd


def _drawn() -> tuple[list[float], list[float]]:
    return nd.random.uniform(shape=(3,)).asnumpy().tolist(), nd.random.normal(shape=(2,)).asnumpy().tolist()


def test_draws_without_an_order_depend_on_the_seed_and_their_arguments() -> None:
    mx.random.seed(3)
    with mx.random.unordered_():
        uniform, normal = _drawn()
        assert nd.random.normal(shape=(2,)).asnumpy().tolist() == normal
        assert _drawn() == (uniform, normal)
    mx.random.seed(4)
    with mx.random.unordered_():
        assert _drawn()[0] != uniform


def test_draws_have_their_order_again_afterwards() -> None:
    mx.random.seed(3)
    first = _drawn()
    mx.random.seed(3)
    with mx.random.unordered_():
        _drawn()
    assert _drawn() == first
    assert not np.allclose(_drawn()[0], first[0])
