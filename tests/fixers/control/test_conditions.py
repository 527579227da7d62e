"""Conditions on tensors as operators."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a chain of comparisons": ("return x * (0 < x < 5)", "return x * F.broadcast_logical_and(0 < x, x < 5)"),
    "a chain with a comment": (
        "return x * (\n    0 < x  # low\n    < 5)",
        "return x * F.broadcast_logical_and(  # low\n    0 < x, x < 5\n)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "and": ("z = x and y\nreturn z * 2", "z = F.where(x, y, x)\nreturn z * 2"),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


def test_a_longer_chain_is_left() -> None:
    body = "return x * (0 < x < y < 5)"
    assert fixed(body) == body
