"""The fixers of comprehensions over the rows of tensors."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "rows of a tensor": (
        "return F.stack(*[r * 2 for r in x])",
        "return F.contrib.foreach(lambda r, states: (r * 2, states), x, [])[0]",
    ),
    "rows of a sum": (
        "return F.stack(*[r * 2 for r in x + 1])",
        "return F.contrib.foreach(lambda r, states: (r * 2, states), x + 1, [])[0]",
    ),
    "a choice of each row": (
        "return F.stack(*[r * 2 if self.flag else r for r in x])",
        "return F.contrib.foreach(lambda r, states: (r * 2 if self.flag else r, states), x, [])[0]",
    ),
    "along the second axis": (
        "return F.stack(*[r * 2 for r in x], axis=1)",
        "return F.swapaxes(F.contrib.foreach(lambda r, states: (r * 2, states), x, [])[0], 0, 1)",
    ),
    "one behind the other": (
        "return F.concat(*[x[i] * 2 for i in range(len(x))], dim=0)",
        "return F.reshape(F.contrib.foreach(lambda row, states: (row * 2, states), x, [])[0], shape=(-3, -2))",
    ),
    "added up": (
        "return F.add_n(*[r * 2 for r in x])",
        "return F.sum(F.contrib.foreach(lambda r, states: (r * 2, states), x, [])[0], axis=0)",
    ),
    "of two tensors": (
        "return F.stack(*[a * b for a, b in zip(x, y)])",
        "return F.contrib.foreach(lambda rows, states: (rows[0] * rows[1], states), [x, y], [])[0]",
    ),
    "under a name": (
        """
        rows = [r * 2 for r in x]
        rows = F.stack(*rows, axis=1)
        return rows
        """,
        """
        rows = F.contrib.foreach(lambda r, states: (r * 2, states), x, [])[0]
        rows = F.swapaxes(rows, 0, 1)
        return rows
        """,
    ),
    "with a comment": (
        """
        return F.stack(*[
            F.relu(r)  # ramp
            for r in x
        ])
        """,
        """
        return (  # ramp
            F.contrib.foreach(lambda r, states: (F.relu(r), states), x, [])[0]
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


UNTOUCHED = {
    "some of the rows": "return F.stack(*[r * 2 for r in x if self.flag])",
    "a list that is read": "rows = [r * 2 for r in x]\nreturn self.head(rows)",
    "the counter as a number": "return F.stack(*[r * self.sizes[i] for i, r in enumerate(x)])",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == lines(body)
