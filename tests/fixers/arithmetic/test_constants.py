"""The fixers of arrays that are written out."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "ones": ("return x * nd.array([1, 1, 1])", "return F.broadcast_mul(x, F.ones((3,)))"),
    "one number": ("return x * nd.array([[0.5, 0.5]])", "return F.broadcast_mul(x, F.full((1, 2), 0.5))"),
    "one number with a comment": (
        """
        return x * nd.array(
            [0.5, 0.5],  # halves
        )
        """,
        """
        return F.broadcast_mul(x, F.full(  # halves
            (2,), 0.5
        ))
        """,
    ),
    "equal steps": ("return x - nd.array([3, 2, 1])", "return F.broadcast_sub(x, F.arange(3, 0, -1))"),
    "equal steps over rows": (
        "return x * nd.array([[1, 2], [3, 4]])",
        "return F.broadcast_mul(x, F.arange(1, 5).reshape((2, 2)))",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


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
