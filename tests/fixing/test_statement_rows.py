"""Rows that belong to one simple statement."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixing.statement_rows import in_one_statement

TREE = ast.parse("""y = f(
    x,
    z,
)
if y:
    z = 1
""")


@pytest.mark.parametrize(("rows", "one"), [((1, 3), True), ((2, 2), True), ((4, 5), False), ((5, 6), False)])
def test_rows_of_one_statement(rows: tuple[int, int], one: bool) -> None:
    assert in_one_statement(TREE, *rows) is one
