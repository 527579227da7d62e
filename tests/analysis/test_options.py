"""Settings of which few values are possible."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from hybridlint.analysis.model.options import compared, contained, joined, left_by, left_true, one_of, options
from hybridlint.analysis.model.values import STATIC_UNKNOWN, Items, Static, Value

ANY = Static(STATIC_UNKNOWN)
A, B = (Static(name, certain=True) for name in "ab")
EITHER = one_of("ab")
PAIR = Items("tuple", (A, B))


def test_what_is_certain_has_one_value_and_what_may_be_set_has_any() -> None:
    assert [options(v) for v in (A, EITHER, Static("a"), ANY)] == [("a",), ("a", "b"), None, None]


@pytest.mark.parametrize(
    ("op", "left", "right", "known"),
    [
        (ast.Eq(), A, A, True),
        (ast.Eq(), A, B, False),
        (ast.Eq(), EITHER, A, None),
        (ast.Eq(), EITHER, Static("c", certain=True), False),
        (ast.NotEq(), EITHER, Static("c", certain=True), True),
        (ast.Lt(), one_of((1, 2)), Static(3, certain=True), True),
        (ast.Lt(), A, Static(3, certain=True), None),
        (ast.Eq(), ANY, A, None),
    ],
)
def test_comparisons(op: ast.cmpop, left: Value, right: Value, known: bool | None) -> None:
    assert compared(op, left, right) is known


def test_membership() -> None:
    assert contained(A, PAIR) is True
    assert contained(EITHER, Static({"a": 1, "b": 2})) is True
    assert contained(EITHER, Items("list", (A,))) is None
    assert contained(Static("c", certain=True), PAIR) is False
    assert contained(ANY, PAIR) is None


@pytest.mark.parametrize(
    ("value", "op", "other", "holds", "left"),
    [
        (ANY, ast.In(), PAIR, True, ("a", "b")),
        (ANY, ast.NotIn(), PAIR, False, ("a", "b")),
        (ANY, ast.Eq(), A, True, ("a",)),
        (ANY, ast.NotEq(), A, False, ("a",)),
        (ANY, ast.Eq(), A, False, None),
        (EITHER, ast.Eq(), A, False, ("b",)),
        (EITHER, ast.In(), Items("tuple", (A,)), False, ("b",)),
        (EITHER, ast.Lt(), B, True, None),
    ],
)
def test_what_a_check_leaves(value: Value, op: ast.cmpop, other: Value, holds: bool, left: Any) -> None:
    found = left_by(value, op, other, holds=holds)
    assert (None if found is None else options(found)) == left


def test_what_counts_as_true() -> None:
    found = left_true(one_of((0, 1, 2)), holds=True)
    assert found is not None
    assert options(found) == (1, 2)
    assert left_true(ANY, holds=True) is None


def test_ways_that_meet() -> None:
    assert options(joined((A, B))) == ("a", "b")
    assert options(joined((A, EITHER))) == ("a", "b")
    assert options(joined((A, ANY))) is None
