"""All random numbers that tests draw."""

from __future__ import annotations

import random


def seed() -> None:
    """Seed all random numbers, so that a failure in one order of tests is one in every order."""
    import numpy as np

    import hybridlint.runtime as mx

    random.seed(0)
    np.random.seed(0)
    mx.random.seed(0)
