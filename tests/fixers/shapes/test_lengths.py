"""Lengths of tensors in reshapes and in calls that take sizes."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

RESHAPES = {
    "of its own rows": ("return x.reshape((len(x), -1))", "return x.reshape((0, -1))"),
    "by a function": ("return F.reshape(x * 2, shape=(len(x), -1))", "return F.reshape(x * 2, shape=(0, -1))"),
}


@pytest.mark.parametrize(("before", "after"), RESHAPES.values(), ids=RESHAPES.keys())
def test_a_reshape_to_the_number_of_rows(before: str, after: str) -> None:
    assert fixed(before) == after


def test_a_reshape_to_the_number_of_rows_in_numpy_mode() -> None:
    assert "len(" not in fixed("return F.npx.relu(x).reshape(len(x), -1)", numpy=True)


CALLS = {
    "positions of the rows": (
        "y = F.relu(x)\nreturn F.pick(y, F.arange(len(y)))",
        'y = F.relu(x)\nreturn F.pick(y, F.contrib.arange_like(y.astype("float32"), axis=0))',
    ),
    "a name of them, in an array": (
        "y = F.relu(x)\nrows = nd.arange(len(y))\nreturn F.pick(y, rows)",
        'y = F.relu(x)\nrows = F.contrib.arange_like(y.astype("float32"), axis=0)\nreturn F.pick(y, rows)',
    ),
    "a unit matrix": (
        "y = F.relu(x)\nreturn F.dot(F.eye(len(y)), y)",
        """
        y = F.relu(x)
        return F.dot(F.diag(F.ones_like(F.contrib.arange_like(y.astype("float32"), axis=0))), y)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CALLS.values(), ids=CALLS.keys())
def test_a_call_that_takes_sizes(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_an_argument_may_be_a_list() -> None:
    assert "len(" in fixed("return F.pick(x, F.arange(len(y)))")
    assert "len(" not in fixed("return F.pick(x, F.arange(len(y)))", unsafe=True)
