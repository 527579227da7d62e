"""Dtypes that are carried from one tensor to another."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.carried_dtypes import is_float32, takes_dtype
from tests.fixers.bodies import met, named


@pytest.mark.parametrize(
    ("body", "takes"),
    [
        ("return F.sum(x * y)", True),
        ("z = [x * 2]\nz.append(F.maximum(x, y))\nreturn F.add_n(*z)", True),
        ("z = 0\nz = z + x.sum()\nreturn z", True),
        ("z = x.sum(axis=0)\nz = z / 2\nreturn z", True),
        ("z = y.sum(axis=0)\nz = z / 2\nreturn z", False),
        ("return F.where(x > 0, y, y)", False),
        ("return F.sum(y)", False),
        ("z = [x]\nz.append(y)\nreturn F.add_n(*z)", False),
        ("z = [x]\nself.keep(z)\nreturn F.add_n(*z)", False),
        ("z = self.child(x)\nreturn z", False),
        ("z, w = F.split(x, num_outputs=2)\nreturn z", False),
        ("x = x.astype('float16')\nreturn x * 2", False),
    ],
)
def test_an_expression_with_the_dtype_of_an_argument(body: str, takes: bool) -> None:
    frame = met(body)
    assert isinstance(frame.statement, ast.Return)
    assert frame.statement.value is not None
    assert takes_dtype(frame, frame.statement.value, "x") is takes


@pytest.mark.parametrize(
    ("body", "takes"),
    [
        ("z = x + y\nreturn y.sum()", True),
        ("z = F.broadcast_mul(x, F.exp(y))\nreturn F.relu(y)", True),
        ("z = x + y if self.flag else x\nreturn y.sum()", False),
        ("if self.flag:\n    z = x + y\nreturn y.sum()", False),
        ("if self.flag:\n    return y\nz = x + y\nreturn y.sum()", True),
        ("z = x > y\nreturn y.sum()", False),
    ],
)
def test_an_argument_that_is_combined_with_another(body: str, takes: bool) -> None:
    frame = met(body)
    assert isinstance(frame.statement, ast.Return)
    assert frame.statement.value is not None
    assert takes_dtype(frame, frame.statement.value, "x") is takes


@pytest.mark.parametrize(
    ("body", "at", "takes"),
    [
        ("z = F.relu(y)\nif self.flag:\n    return y\nreturn x + y", "z = F.relu(y)", False),
        ("z = F.relu(y)\nif self.flag:\n    z = z * 2\nreturn x + y", "z = F.relu(y)", True),
        ("if self.flag:\n    z = F.relu(y)\n    return x + y\nreturn y", "z = F.relu(y)", True),
        ("if self.flag:\n    z = F.relu(y)\nelse:\n    y = x + y\nreturn y", "z = F.relu(y)", False),
        ("for _ in range(3):\n    z = F.relu(y)\n    y = x + y\nreturn y", "z = F.relu(y)", False),
    ],
)
def test_what_runs_with_a_statement(body: str, at: str, takes: bool) -> None:
    frame = met(body, at)
    assert takes_dtype(frame, named(frame, "F.relu(y)"), "x") is takes


@pytest.mark.parametrize(
    ("body", "single"),
    [
        ("z = F.cast(y, dtype='float32')\nreturn F.broadcast_mul(x, z).sum(axis=1)", True),
        ("return x * F.cast(y, dtype='float32')", True),
        ("return x * y", False),
        ("return F.cast(x * F.cast(y, dtype='float32'), dtype='float16')", False),
    ],
)
def test_an_expression_in_single_precision(body: str, single: bool) -> None:
    frame = met(body)
    assert isinstance(frame.statement, ast.Return)
    assert frame.statement.value is not None
    assert is_float32(frame, frame.statement.value) is single
