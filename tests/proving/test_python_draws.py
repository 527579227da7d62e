"""Python's and numpy's random numbers, drawn by MXNet."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from hybridlint import runtime as mx
from hybridlint.proving.child.build.python_draws import python_draws_by


@pytest.mark.parametrize(
    ("module", "name", "given", "same"),
    [
        (random, "random", (), lambda: mx.nd.random.uniform(shape=(1,))),
        (random, "uniform", (1, 3), lambda: mx.nd.random.uniform(1, 3, shape=(1,))),
        (random, "gauss", (1, 3), lambda: mx.nd.random.normal(1, 3, shape=(1,))),
        (np.random, "uniform", (0, 2, (2, 3)), lambda: mx.nd.random.uniform(0, 2, shape=(2, 3))),
        (np.random, "rand", (2, 3), lambda: mx.nd.random.uniform(shape=(2, 3))),
        (np.random, "randn", (), lambda: mx.nd.random.normal(shape=(1,))),
    ],
)
def test_the_numbers_are_those_of_mxnet(
    module: object, name: str, given: tuple[object, ...], same: Callable[[], mx.nd.NDArray]
) -> None:
    mx.random.seed(3)
    with python_draws_by(mx):
        drawn = np.asarray(getattr(module, name)(*given))
    mx.random.seed(3)
    assert drawn.ravel().tolist() == pytest.approx(same().asnumpy().ravel().tolist())


def test_the_functions_are_python_s_again_behind_the_scope() -> None:
    random.seed(3)
    first = random.random()
    with python_draws_by(mx):
        random.random()
    random.seed(3)
    assert random.random() == first
