"""Reshapes that end with the last axes of another tensor, however many these are."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

MADE = "n, _, _, _ = x.shape\nz = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)\n"
LIKE = "x, lhs_begin=2, lhs_end=None, rhs_begin=2, rhs_end=None"
CASES = {
    "a starred tail": ("return z.reshape((n, 12, *x.shape[2:]))", f"return z.reshape_like({LIKE})"),
    "a tail that is added": ("return F.reshape(z, (n, 12) + x.shape[2:])", f"return F.reshape_like(z, {LIKE})"),
    "behind a code": ("return z.reshape((0, 12, *x.shape[2:]))", f"return z.reshape_like({LIKE})"),
    "two slices of shapes": ("return z.reshape(z.shape[:2] + x.shape[2:])", f"return z.reshape_like({LIKE})"),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_tails_of_another_tensor(before: str, after: str) -> None:
    assert fixed(MADE + before) == lines(f"{MADE.splitlines()[1]}\n{after}")


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("return z.reshape((n, 6, *x.shape[2:]))", id="other sizes ahead"),
        pytest.param("return z.reshape((n, -1, *x.shape[2:]))", id="a size ahead that is inferred"),
        pytest.param("return z.reshape((n, 12, *x.shape[2:4]))", id="a part of the tail"),
    ],
)
def test_other_shapes_are_not_written_so(after: str) -> None:
    assert "rhs_end=None" not in fixed(MADE + after, unsafe=True)


def test_an_axis_of_size_1_that_is_left_out() -> None:
    after = "return x.reshape_like(x, lhs_begin=1, lhs_end=None, rhs_begin=2, rhs_end=None)"
    assert fixed("return x.reshape((0, *x.shape[2:]))") == after
