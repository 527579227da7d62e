"""Functions that compute something with state in each call."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.eager.state_reads import reads_state


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ("return x * self.count", True),
        ("y = self.count + 1; return x * y", True),
        ("print(self.count); return x", False),
        ("self.total = self.count", False),
        ("if x: y = self.count", False),
    ],
)
def test_state_that_each_call_computes_with(body: str, reads: bool) -> None:
    (function,) = ast.parse(f"def call(self, x):\n    {body}").body
    assert isinstance(function, ast.FunctionDef)
    assert reads_state(function, "self.count") is reads


def test_one_statement_may_be_left_out() -> None:
    (function,) = ast.parse("def call(self, x):\n    y = self.count\n    return x").body
    assert isinstance(function, ast.FunctionDef)
    assert not reads_state(function, "self.count", but=function.body[0])
