"""Tensors that are assembled item by item."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

RUNS = {
    "all items of an axis": (
        "z = F.zeros_like(x)\nz[:, :, 0] = y * 2\nz[:, :, 1] = y\nreturn z",
        "z = F.stack(y * 2, y, axis=2)\nreturn z",
    ),
    "a number among them": (
        "z = F.zeros_like(x)\nz[:, :, 0] = y\nz[:, :, 1] = 3\nreturn z",
        "z = F.stack(y, F.ones_like(y) * 3, axis=2)\nreturn z",
    ),
}
OTHERS = {
    "an item that reads the tensor": "z = F.zeros_like(x)\nz[:, :, 0] = F.relu(y)\nz[:, :, 1] = z[:, :, 0]\nreturn z",
    "an item that is left out": "z = F.zeros_like(x)\nz[:, :, 0] = y * 2\nz[:, :, 2] = y\nreturn z",
    "an item of no region": "z = F.zeros_like(x)\nz[y > 0] = 1\nz[:, :, 1] = y\nreturn z",
    "a single item": "z = F.zeros_like(x)\nz[:, :, 0] = y * 2\nreturn z",
}


@pytest.mark.parametrize(("before", "after"), RUNS.values(), ids=RUNS.keys())
def test_a_run_of_stores_becomes_one_operator(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_other_runs_are_not_stacked(body: str) -> None:
    assert "stack" not in fixed(body, unsafe=True)


def test_a_size_that_is_not_known_needs_the_author() -> None:
    body = "z = F.zeros_like(x)\nz[:, :, 0] = y * 2\nz[:, :, 1] = y\nreturn z"
    assert fixed(body) == body
