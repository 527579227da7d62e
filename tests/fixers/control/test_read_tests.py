"""The fixer of numbers that are read from tensors to be tested."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

GRAPHS = {
    "in the test of an early return": (
        """
        n = (y > 0).sum()
        if n.asscalar() == 0:
            return x.sum() * 0
        return x.sum() / n
        """,
        """
        n = (y > 0).sum()
        early = x.sum() * 0
        return F.where(n == 0, early, x.sum() / (n + (n == 0)))
        """,
    ),
    "under a name that is computed with": (
        """
        n = (y > 0).sum().asscalar()
        if n == 0:
            return x.sum() * 0
        return x.sum() / n
        """,
        """
        n = F.BlockGrad((y > 0).sum())
        early = x.sum() * 0
        return F.where(n == 0, early, x.sum() / (n + (n == 0)))
        """,
    ),
}
KEPT = {
    "a branch that no graph has": "if y.sum().asscalar() > 3:\n    self.seen.update({1: 2})\nreturn x * 2",
    "a number that goes elsewhere": "n = y.sum().asscalar()\nif n > 3:\n    self.keep(n)\nreturn x * 2",
    "a key": "n = y.sum().item()\nreturn x * self.table[n]",
}


def test_a_test_that_only_raises_is_left_to_eager_runs() -> None:
    body = "n = y.sum().asscalar()\nif n > 3:\n    raise ValueError(n)\nreturn x * 2"
    assert fixed(body) == (
        "if F is mx.nd:\n    n = y.sum().asscalar()\n    if n > 3:\n        raise ValueError(n)\nreturn x * 2"
    )


@pytest.mark.parametrize(("before", "after"), GRAPHS.values(), ids=GRAPHS.keys())
def test_the_tensor_is_tested_where_a_graph_comes_of_it(before: str, after: str) -> None:
    assert fixed(lines(before), unsafe=True) == lines(after)


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_without_a_graph_the_code_stays(body: str) -> None:
    assert fixed(body, unsafe=True) == body


def test_nothing_is_removed_from_a_block_that_does_not_compile() -> None:
    body = "n = y.sum().item()\nprint(x)\nreturn x * self.table[n]"
    assert fixed(body, unsafe=True) == body
    assert "print" not in fixed("print(x)\nreturn x.T", unsafe=True)
