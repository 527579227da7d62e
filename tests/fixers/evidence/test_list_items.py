"""The items of lists that are spread over the arguments of an operator."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.list_items import spread_items
from tests.fixers.bodies import met


@pytest.mark.parametrize(
    ("body", "items"),
    [
        ("return F.stack(*[x, y])", ["x", "y"]),
        ("return F.stack(*[F.relu(x) for _ in range(3)])", ["F.relu(x)"]),
        ("rows = [x]\nfor i in range(3):\n    rows.append(x * i)\nreturn F.stack(*rows)", ["x", "x * i"]),
        ("rows = [x]\nrows[0] = y\nreturn F.stack(*rows)", []),
        ("return F.stack(*self.rows)", []),
    ],
)
def test_items_that_the_code_shows(body: str, items: list[str]) -> None:
    frame = met(f"n = x.shape[0]\n{body}")
    spread = next(
        n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "F.stack"
    )
    (starred,) = spread.args
    assert isinstance(starred, ast.Starred)
    assert [ast.unparse(item) for item in spread_items(frame, starred.value)] == items
