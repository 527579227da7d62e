"""Operators around what was rewritten: as functions that broadcast."""

from __future__ import annotations

import ast

import pytest

from tests.fixers.bodies import fixed, lines

ROW = "F.squeeze(F.slice_axis(x, axis=0, begin=1, end=2), axis=0)"
UNSAFE = {
    "beside a tensor": ("return x[1] * y", f"return F.broadcast_mul({ROW}, y)"),
    "on the right": ("return y - x[1]", f"return F.broadcast_sub(y, {ROW})"),
    "beside a number": ("return x[1] * 2", f"return {ROW} * 2"),
    "through a method": ("return x[1].exp() + y", f"return F.broadcast_add({ROW}.exp(), y)"),
    "nested": ("return (x[1] * y).sum() - y", f"return F.broadcast_sub(F.broadcast_mul({ROW}, y).sum(), y)"),
    "beside what binds more tightly": ("return x[1] + y * 2", f"return F.broadcast_add({ROW}, y * 2)"),
    "with a comment": (
        "return (x[1]  # the second\n        * y)",
        f"""
        return F.broadcast_mul(
            {ROW},  # the second
            y,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_operators_around_a_row(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


def test_a_number_that_a_function_of_python_makes_of_a_row_stays() -> None:
    assert "broadcast_mul" not in fixed("return y * len(x[1])", unsafe=True)


PARTS = {
    "two parts of one tensor": ("return x[:, 1] - x[:, 0]", "return {1} - {0}"),
    "computed from parts": ("return (x[:, 1] - x[:, 0]) * (2 * x[:, 3])", "return ({1} - {0}) * (2 * {3})"),
    "parts beside another tensor": (
        "return (x[:, 1] - x[:, 0]) * y.exp()",
        "return F.broadcast_mul({1} - {0}, y.exp())",
    ),
    "parts of two tensors": ("return x[:, 1] - y[:, 1]", "return F.broadcast_sub({1}, {y})"),
}


@pytest.mark.parametrize("keys", [":", "..."])
@pytest.mark.parametrize(("before", "after"), PARTS.values(), ids=PARTS.keys())
def test_parts_of_one_tensor_have_one_shape(before: str, after: str, keys: str) -> None:
    axis = {":": 1, "...": -1}[keys]
    rows = [f"F.squeeze(F.slice_axis(x, axis={axis}, begin={k}, end={k + 1}), axis={axis})" for k in range(4)]
    expected = after.format(*rows, y=rows[1].replace("(x,", "(y,"))
    new = fixed(before.replace("[:,", f"[{keys},"), unsafe=True)
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(expected))
