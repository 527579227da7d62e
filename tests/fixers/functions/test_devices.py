"""Devices: an eager run keeps the one that the code names."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

CASES = {
    "of a constant": (
        "return x + nd.zeros((3,), ctx=x.context)",
        "return F.broadcast_add(x, F.zeros((3,), ctx=x.context if F is mx.nd else None))",
    ),
    "of a function of F": (
        "return F.broadcast_add(x, F.zeros((3,), ctx=x.context))",
        "return F.broadcast_add(x, F.zeros((3,), ctx=x.context if F is mx.nd else None))",
    ),
    "of random numbers": (
        "return F.broadcast_add(x, F.random.normal(0, 1, (2, 3), ctx=x.ctx))",
        "return F.broadcast_add(x, F.random.normal(0, 1, (2, 3), ctx=x.ctx if F is mx.nd else None))",
    ),
    "a move": (
        "z = x.as_in_context(mx.gpu())  # move\nreturn z",
        "z = x.as_in_context(mx.gpu()) if F is mx.nd else x  # move\nreturn z",
    ),
    "a move beside an operator": (
        "return y + x.as_in_context(mx.gpu())",
        "return y + (x.as_in_context(mx.gpu()) if F is mx.nd else x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_kept_in_eager_runs(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


def test_a_function_that_takes_no_context_in_a_graph() -> None:
    before = "return F.broadcast_add(x, F.arange(3, ctx=x.context))"
    after = "return F.broadcast_add(x, F.arange(3, ctx=x.context) if F is mx.nd else F.arange(3))"
    assert fixed(before) == after
