"""The fixers of integers beside a number in numpy mode."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a number before": (
        """
        a = F.np.ones((2, 3), dtype="int32")
        return 2 * a
        """,
        """
        a = F.np.ones((2, 3), dtype="int32")
        return a * 2
        """,
    ),
    "before a sum": (
        """
        a = F.np.ones((2, 3), dtype="int32")
        return 2 * (a + 1)
        """,
        """
        a = F.np.ones((2, 3), dtype="int32")
        return (a + 1) * 2
        """,
    ),
    "in a difference": (
        """
        a = F.np.ones((2, 3), dtype="int32")
        return 3 - 2 * a
        """,
        """
        a = F.np.ones((2, 3), dtype="int32")
        return 3 - a * 2
        """,
    ),
    "with a comment": (
        """
        a = F.np.ones((2, 3), dtype="int32")
        return (
            2  # twice
            * a
        )
        """,
        """
        a = F.np.ones((2, 3), dtype="int32")
        return (  # twice
            a * 2
        )
        """,
    ),
    "negated": (
        """
        a = F.np.ones((2, 3), dtype="int32")
        return -(a + 1), x + 1
        """,
        """
        a = F.np.ones((2, 3), dtype="int32")
        return F.np.negative(a + 1), x + 1
        """,
    ),
    "negated beside a number": (
        """
        a = F.np.ones((2, 3), dtype="int32")
        return 2 * -a, x + 1
        """,
        """
        a = F.np.ones((2, 3), dtype="int32")
        return F.np.negative(a) * 2, x + 1
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before, numpy=True) == lines(after)


def test_floats_stay() -> None:
    assert fixed("return 2 * x", numpy=True) == "return 2 * x"
