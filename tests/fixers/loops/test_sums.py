"""Sums over the steps of a loop that begin as Python numbers."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.loops.sums import loop_sum
from tests.fixers.bodies import met

LOOPS = {
    "parts added behind it": ("total = 0", "total = total + F.exp(r)", "F.exp(r)"),
    "parts added in front of it": ("total = 2.5", "total = F.exp(r) + total", "F.exp(r)"),
    "parts subtracted": ("total = 0", "total = total - F.exp(r)", None),
    "a sum that is scaled": ("total = 0", "total = total * 0.5 + r", None),
    "a part that reads the sum": ("total = 0", "total = total + F.exp(total)", None),
    "steps that are counted": ("total = 0", "total = total + 1", None),
    "no number at first": ("total = y", "total = total + r", None),
    "parts of one element": ("total = 0", "total = total + F.sum(r)", None),
}


@pytest.mark.parametrize(("first", "step", "part"), LOOPS.values(), ids=LOOPS.keys())
def test_sums(first: str, step: str, part: str | None) -> None:
    frame = met(f"{first}\nfor r in x:\n    {step}\nreturn total * y")
    assert isinstance(frame.function, ast.FunctionDef)
    body = frame.function.body
    loop = body[1]
    assert isinstance(loop, ast.For)
    found = loop_sum(frame, "total", loop, body[:1])
    assert (None if found is None else ast.unparse(found.part)) == part


def test_a_sum_that_the_step_reads_is_none() -> None:
    frame = met("total = 0\nfor r in x:\n    total = total + r\n    y = y * total\nreturn total * y")
    assert isinstance(frame.function, ast.FunctionDef)
    loop = frame.function.body[1]
    assert isinstance(loop, ast.For)
    assert loop_sum(frame, "total", loop, frame.function.body[:1]) is None
