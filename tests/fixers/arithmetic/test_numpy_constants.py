"""Constants that numpy makes inside `hybrid_forward`, made by operators."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

OF_NUMPY = {
    "ones in a diagonal": ("nd.array(np.eye(3))", "F.eye(3)"),
    "rows put behind each other": ("nd.array(np.eye(3).ravel())", "F.eye(3).reshape((-1,))"),
    "another shape": ("nd.array(np.arange(6).reshape(2, 3).astype('float32'))", "F.arange(6).reshape((2, 3))"),
    "an array that is rounded": ("nd.array(np.eye(3).astype('int32'))", None),
    "arithmetic": ("nd.array(np.eye(3) * 2)", None),
    "a size that is copied": ("nd.array(np.ones((2, 3)).reshape(0, 3))", None),
}


@pytest.mark.parametrize(("before", "after"), OF_NUMPY.values(), ids=OF_NUMPY.keys())
def test_constants_that_numpy_makes(before: str, after: str | None) -> None:
    body = "import numpy as np\nreturn F.broadcast_add(x, {})"
    assert fixed(body.format(before)) == body.format(after or before)
