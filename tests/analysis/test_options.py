"""Settings of which few values are possible."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from hybridlint.analysis.model.options import (
    compare_options,
    is_contained,
    join_options,
    left_by,
    left_true,
    one_of,
    options,
)
from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Value

ANY = StaticValue(STATIC_UNKNOWN)
A, B = (StaticValue(name, certain=True) for name in "ab")
EITHER = one_of("ab")
PAIR = ContainerValue("tuple", (A, B))


def test_what_is_certain_has_one_value_and_what_may_be_set_has_any() -> None:
    assert [options(v) for v in (A, EITHER, StaticValue("a"), ANY)] == [("a",), ("a", "b"), None, None]


@pytest.mark.parametrize(
    ("op", "left", "right", "known"),
    [
        (ast.Eq(), A, A, True),
        (ast.Eq(), A, B, False),
        (ast.Eq(), EITHER, A, None),
        (ast.Eq(), EITHER, StaticValue("c", certain=True), False),
        (ast.NotEq(), EITHER, StaticValue("c", certain=True), True),
        (ast.Lt(), one_of((1, 2)), StaticValue(3, certain=True), True),
        (ast.Lt(), A, StaticValue(3, certain=True), None),
        (ast.Eq(), ANY, A, None),
    ],
)
def test_comparisons(op: ast.cmpop, left: Value, right: Value, known: bool | None) -> None:
    assert compare_options(op, left, right) is known


def test_membership() -> None:
    assert is_contained(A, PAIR) is True
    assert is_contained(EITHER, StaticValue({"a": 1, "b": 2})) is True
    assert is_contained(EITHER, ContainerValue("list", (A,))) is None
    assert is_contained(StaticValue("c", certain=True), PAIR) is False
    assert is_contained(ANY, PAIR) is None


@pytest.mark.parametrize(
    ("value", "op", "other", "holds", "left"),
    [
        (ANY, ast.In(), PAIR, True, ("a", "b")),
        (ANY, ast.NotIn(), PAIR, False, ("a", "b")),
        (ANY, ast.Eq(), A, True, ("a",)),
        (ANY, ast.NotEq(), A, False, ("a",)),
        (ANY, ast.Eq(), A, False, None),
        (EITHER, ast.Eq(), A, False, ("b",)),
        (EITHER, ast.In(), ContainerValue("tuple", (A,)), False, ("b",)),
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
    assert options(join_options((A, B))) == ("a", "b")
    assert options(join_options((A, EITHER))) == ("a", "b")
    assert options(join_options((A, ANY))) is None
