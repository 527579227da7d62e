"""Operators around what was rewritten: as functions that broadcast."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

ROW = "F.squeeze(F.slice_axis(x, axis=0, begin=1, end=2), axis=0)"
UNSAFE = {
    "beside a tensor": ("return x[1] * y", f"return F.broadcast_mul({ROW}, y)"),
    "on the right": ("return y - x[1]", f"return F.broadcast_sub(y, {ROW})"),
    "beside a number": ("return x[1] * 2", f"return {ROW} * 2"),
    "through a method": ("return x[1].exp() + y", f"return F.broadcast_add({ROW}.exp(), y)"),
    "nested": ("return (x[1] * y).sum() - y", f"return F.broadcast_sub(F.broadcast_mul({ROW}, y).sum(), y)"),
    "beside what binds more tightly": ("return x[1] + y * 2", f"return F.broadcast_add({ROW}, y * 2)"),
    "with a comment": (
        "return (x[1]  # the second\n        * y)",
        f"""
        return F.broadcast_mul(
            {ROW},  # the second
            y,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_operators_around_a_row(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


def test_a_number_that_a_function_of_python_makes_of_a_row_stays() -> None:
    assert "broadcast_mul" not in fixed("return y * len(x[1])", unsafe=True)
