"""What every test of the runtime starts from."""

import numpy as np
import pytest

import hybridlint.runtime as mx


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    """Seeds the runtime's and numpy's random numbers, so that a failure in one order of tests is one in every order."""
    mx.random.seed(0)
    np.random.seed(0)
