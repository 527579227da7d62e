"""How many axes code shows that a tensor has."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.shown_ranks import likely_rank, unpacked_rank
from tests.fixers.bodies import met, named


@pytest.mark.parametrize(
    ("body", "unpacked", "likely"),
    [
        ("a, b, c = x.shape\nz = x * 2\nreturn z", 3, None),
        ("a, *b = x.shape\nz = x * 2\nreturn z", None, None),
        ("a, b = x.shape\nx = F.relu(y)\nz = x * 2\nreturn z", None, None),
        ("z = x * 2\nreturn F.batch_dot(y, x) + z", None, 3),
        ("z = x * 2\nreturn F.dot(y, x) + z", None, None),
        ("z = x * 2\nx = y\nreturn F.batch_dot(y, x) + z", None, None),
    ],
)
def test_ranks(body: str, unpacked: int | None, likely: int | None) -> None:
    frame = met(f"{body} + y[0]")
    operation = named(frame, "x * 2")
    assert isinstance(operation, ast.BinOp)
    assert isinstance(operation.left, ast.Name)
    assert unpacked_rank(frame, operation.left) == unpacked
    assert likely_rank(frame, operation.left) == likely
