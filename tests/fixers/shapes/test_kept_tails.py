"""Reshapes that keep the last axes of their data, however many these are."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

CASES = {
    "two axes merged": ("return x.reshape((-1,) + x.shape[2:]) * y", "return x.reshape((-3, -2)) * y"),
    "two axes merged by their product": (
        "return F.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:])) * y",
        "return F.reshape(x, (-3, -2)) * y",
    ),
    "an axis split by a number": (
        "return x.reshape((-1, 4) + x.shape[1:]) * y",
        "return x.reshape((-4, -1, 4, -2)) * y",
    ),
    "an axis spread over those of another tensor": (
        """
        b, t = y.shape[:2]
        z = F.relu(x)
        return z.reshape((b, t) + z.shape[1:]) * y
        """,
        """
        z = F.relu(x)
        return z.reshape_like(y, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2) * y
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_tails_are_kept(before: str, after: str) -> None:
    assert fixed(lines(before)) == lines(after)


@pytest.mark.parametrize(
    "body",
    [
        "return x.reshape((-1,) + y.shape[2:]) * y",
        "return x.reshape((-1, 3, 2) + x.shape[1:]) * y",
        "return x.reshape((4,) + x.shape) * y",
    ],
)
def test_other_shapes_are_not_written_so(body: str) -> None:
    assert "-2)" not in fixed(body, unsafe=True)
