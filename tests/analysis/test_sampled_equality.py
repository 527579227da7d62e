"""Two expressions computed at points: which are different functions, and of which nothing is known."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.flow.sampled_equality import values_differ

DIFFERENT = [
    ("x * (1 + F.tanh(x))", "x * (1 + F.erf(x))"),
    ("F.exp(x) / 2", "F.exp(x / 2)"),
    ("F.broadcast_add(x, y)", "F.broadcast_sub(x, y)"),
    ("x ** 3 * math.pi", "x ** 3 * math.e"),
    ("self.net(x) * 2", "F.tanh(self.net(x))"),
]
OPEN = [
    ("F.exp(2 * F.log(x))", "x ** 2"),
    ("F.sin(x) / F.cos(x)", "F.tan(x)"),
    ("F.relu(x)", "x"),
    ("F.mean(x)", "F.sum(x)"),
    ("self.one(x)", "self.two(x)"),
    ("F.log(-x * x)", "F.sqrt(-x * x)"),
    ("x * 1.00001", "x"),
    ("2 + 1", "4"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_functions(one: str, other: str) -> None:
    assert values_differ(_expression(one), _expression(other))


@pytest.mark.parametrize(("one", "other"), OPEN)
def test_what_is_the_same_or_not_known(one: str, other: str) -> None:
    assert not values_differ(_expression(one), _expression(other))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
