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
ARRAYS = {
    "of each element": (
        "if (x.asnumpy() < 0).any():\n    x = F.relu(x)\nreturn F.sqrt(x)",
        "x = F.where(F.broadcast_mul(F.ones_like(x), F.max(x < 0)), F.relu(x), x)\nreturn F.sqrt(x)",
    ),
    "by a function": (
        "if np.any(np.isnan(x.asnumpy())):\n    x = F.zeros_like(x)\nreturn x * 2",
        "x = F.where(F.broadcast_mul(F.ones_like(x), F.max(x != x)), F.zeros_like(x), x)\nreturn x * 2",
    ),
    "a number": (
        "n = F.sum(x)\nif float(n.asscalar()) > 3:\n    x = x / n\nreturn x * 2",
        "n = F.sum(x)\nx = F.broadcast_div(x, F.where(n > 3, n, F.ones_like(n)))\nreturn x * 2",
    ),
}
KEPT = {
    "an element": "if (x.asnumpy()[0] < 0).any():\n    x = F.relu(x)\nreturn F.sqrt(x)",
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


@pytest.mark.parametrize(("before", "after"), ARRAYS.values(), ids=ARRAYS.keys())
def test_tests_of_numpy_become_tests_of_the_tensor(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_without_a_graph_the_code_stays(body: str) -> None:
    assert fixed(body, unsafe=True) == body


def test_nothing_is_removed_from_a_block_that_does_not_compile() -> None:
    body = "n = y.sum().item()\nprint(x)\nreturn x * self.table[n]"
    assert fixed(body, unsafe=True) == body
    assert "print" not in fixed("print(x)\nreturn x.T", unsafe=True)
