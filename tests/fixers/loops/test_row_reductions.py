"""Rows that a loop computes, put together: what the same is on all rows as one tensor."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

ROWS = "F.contrib.foreach(lambda r, states: (F.relu(r), states), x, [])[0]"

GATHERED = {
    "stack": ("F.stack(*[F.relu(r) for r in x])", ROWS),
    "stack along the first axis": ("F.stack(*[F.relu(r) for r in x], axis=0)", ROWS),
    "stack along the second axis": ("F.stack(*[F.relu(r) for r in x], axis=1)", f"F.swapaxes({ROWS}, 0, 1)"),
    "concat along the first axis": (
        "F.concat(*[F.relu(r) for r in x], dim=0)",
        f"F.reshape({ROWS}, shape=(-3, -2))",
    ),
    "add_n": ("F.add_n(*[F.relu(r) for r in x])", f"F.sum({ROWS}, axis=0)"),
    "sum": ("sum([F.relu(r) for r in x])", f"F.sum({ROWS}, axis=0)"),
    "sum of a generator": ("sum(F.relu(r) for r in x)", f"F.sum({ROWS}, axis=0)"),
    "beside an operator": ("-F.stack(*[F.relu(r) for r in x])", f"-{ROWS}"),
}


@pytest.mark.parametrize(("before", "after"), GATHERED.values(), ids=GATHERED.keys())
def test_gathered(before: str, after: str) -> None:
    assert fixed(f"return {before}", unsafe=True) == f"return {after}"


def test_long_lines_are_laid_out() -> None:
    before = "return F.concat(*[F.relu(r) for r in x], dim=1)"
    after = f"return F.reshape(\n    F.swapaxes({ROWS}, 0, 1), shape=(0, -3, -2)\n)"
    assert fixed(before, unsafe=True) == after


UNTOUCHED = {
    "another axis": "return F.stack(*[F.relu(r) for r in x], axis=2)",
    "beside other tensors": "return F.stack(*[F.relu(r) for r in x], y)",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body
