"""The fixers of stars on tensors."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a sum of the rows": ("return F.add_n(*F.relu(x))", "return F.sum(F.relu(x), axis=0)"),
    "a stack of the rows of a table": (
        """
        y = F.reshape(x, shape=(-1, 4))
        return F.stack(*y) * 2
        """,
        """
        y = F.reshape(x, shape=(-1, 4))
        return y * 2
        """,
    ),
    "rows of a table that are joined": (
        """
        y = F.reshape(x, shape=(-1, 4))
        return F.concat(*y, dim=0)
        """,
        """
        y = F.reshape(x, shape=(-1, 4))
        return F.reshape(y, shape=(-3, -2))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_rows_of_what_may_be_a_vector_are_arrays_of_one_element() -> None:
    body = "y = F.relu(x)\nreturn F.concat(*y, dim=0)"
    assert fixed(body) == body
    assert fixed(body, unsafe=True) == "y = F.relu(x)\nreturn F.reshape(y, shape=(-3, -2))"


@pytest.mark.parametrize(
    "body",
    [
        "return F.add_n(*x)",
        "y = F.relu(x)\nreturn F.stack(*y, axis=1)",
        "y = F.relu(x)\nreturn F.concat(*y)",
        "y = F.relu(x)\nreturn F.add_n(*y, x)",
        "parts = x.copy()\nparts.append(y)\nreturn F.concat(*parts, dim=0)",
    ],
    ids=["maybe a list", "another axis", "the second axis", "more than the rows", "a list that grows"],
)
def test_left(body: str) -> None:
    assert fixed(body, unsafe=True) == body
