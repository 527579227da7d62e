"""What two computations of the same numbers may differ by."""

from typing import Any

import numpy as np


def assert_same_numbers(found: Any, expected: Any, roundings: int = 100) -> None:
    """Two arrays differ by rounding alone: by ``roundings`` times float32's epsilon of the largest expected magnitude.

    Relative to the largest, because a sum of terms that cancel is small beside the rounding of its terms: an element
    near zero has no correct digits to compare. Values that are not finite must be equal.
    """
    found, expected = np.asarray(found), np.asarray(expected)
    finite = np.abs(expected[np.isfinite(expected)])
    within = roundings * float(np.finfo(np.float32).eps) * float(finite.max(initial=0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=within)
