"""Python's max and min of tensors as operators."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "of two tensors": ("return max(x.sum(), y.sum())", "return F.broadcast_maximum(x.sum(), y.sum())"),
    "the smaller one": ("return min(x.sum(), y.sum()) * 2", "return F.broadcast_minimum(x.sum(), y.sum()) * 2"),
    "beside a number, in arithmetic": (
        "return x * max(x.sum(), 1)",
        "return F.broadcast_mul(x, F.maximum(x.sum(), 1))",
    ),
    "by a name": (
        "z = max(x.sum(), 1)\nreturn x / z",
        "z = F.maximum(x.sum(), 1)\nreturn F.broadcast_div(x, z)",
    ),
    "with a comment": (
        "return max(\n    x.sum(),  # all\n    y.sum(),\n)",
        "return F.broadcast_maximum(\n    x.sum(),  # all\n    y.sum(),\n)",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


@pytest.mark.parametrize("before", ["return max(x.sum(), y.sum(), 1)", "return max(x.sum(), 1)"])
def test_refused(before: str) -> None:
    assert fixed(before, unsafe=True) == before


def test_only_where_it_is_asked_for() -> None:
    assert fixed("return max(x.sum(), y.sum())") == "return max(x.sum(), y.sum())"
