"""The fixer of arrays that a function computes with ``nd`` from numbers alone."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

THROUGH_F = {
    "in place": (
        "return F.broadcast_mul(x, nd.sqrt(nd.ones((1, 3)) * 2))",
        "return F.broadcast_mul(x, F.sqrt(F.ones((1, 3)) * 2))",
    ),
    "under a name, and a method": (
        "w = nd.exp(nd.arange(3) / 2)\nreturn F.broadcast_mul(x, w.reshape((1, 3)))",
        "w = F.exp(F.arange(3) / 2)\nreturn F.broadcast_mul(x, w.reshape((1, 3)))",
    ),
}
LEFT = {
    "an array of the block": "return F.broadcast_mul(x, nd.sqrt(self.table))",
    "two arrays, whose shapes may differ": "return F.broadcast_mul(x, nd.sqrt(nd.ones((3, 1)) * nd.ones((1, 3))))",
    "another device": "return F.broadcast_mul(x, nd.sqrt(nd.ones((1, 3), ctx=self.device)))",
}


@pytest.mark.parametrize(("before", "after"), THROUGH_F.values(), ids=THROUGH_F.keys())
def test_the_graph_computes_it(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_what_needs_more_than_numbers_stays(body: str) -> None:
    assert "nd.sqrt" in fixed(body)
