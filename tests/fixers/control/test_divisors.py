"""Choices whose test keeps a divisor from 0: the side that is left out divides by 1 there, for its gradient."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

GUARDED = {
    "of one number each": (
        """
        n = F.sum(y)
        a = F.sum(x)
        z = 0
        if n == 0:
            z = z - a
        else:
            z = z - a * 2 / n
        return z
        """,
        """
        n = F.sum(y)
        a = F.sum(x)
        z = 0
        z = F.where(n == 0, z - a, z - a * 2 / (n + (n == 0)))
        return z
        """,
    ),
    "of a tensor divided by a number": (
        "n = F.sum(x)\nreturn x * 2 / n if n > 0 else x * 3",
        """
        n = F.sum(x)
        return F.where(F.broadcast_mul(F.ones_like(x), n > 0), F.broadcast_div(x * 2, n + (n == 0)), x * 3)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), GUARDED.values(), ids=GUARDED.keys())
def test_the_divisor_is_1_where_the_test_leaves_it_out(before: str, after: str) -> None:
    assert fixed(lines(before), unsafe=True) == lines(after)


def test_a_divisor_that_the_test_does_not_keep_from_0_stays() -> None:
    """Eagerly, the first side divides by 0 too."""
    before = "n = F.sum(x)\nreturn x * 2 / n if n < 3 else x * 3"
    assert "n + (n == 0)" not in fixed(before, unsafe=True)
