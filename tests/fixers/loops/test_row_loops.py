"""What a loop over rows does with its names."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.loops.row_loops import RowLoop, row_loop
from tests.fixers.bodies import lines, met


def read(body: str) -> RowLoop | None:
    """Return the only loop of a body of `hybrid_forward`."""
    frame = met(lines(body))
    assert isinstance(frame.function, ast.FunctionDef)
    block = frame.function.body
    return row_loop(frame, next(each for each in block if isinstance(each, ast.For)), block)


def test_a_name_that_is_read_before_it_is_bound_is_carried() -> None:
    found = read("h = y\nfor r in x:\n    h = F.relu(r * h)\nreturn h")
    assert found is not None
    assert (found.carried, found.last, found.lists) == (("h",), (), ())


def test_a_name_that_is_only_read_behind_the_loop_has_its_last_value_there() -> None:
    found = read("for r in x:\n    a = r * 2\n    b = a + 1\nreturn b")
    assert found is not None
    assert (found.carried, found.last) == ((), ("b",))


def test_a_list_that_each_step_fills_is_gathered() -> None:
    found = read("out = []\nfor r in x:\n    a = r * 2\n    out.append(a + 1)\nreturn F.stack(*out)")
    assert found is not None
    assert [(each.name, ast.unparse(each.element)) for each in found.lists] == [("out", "a + 1")]


def test_the_last_statements_may_fill_several_lists() -> None:
    found = read("one, two = [], []\nfor r in x:\n    one.append(r)\n    two.append(r * 2)\nreturn F.stack(*one, *two)")
    assert found is not None
    assert [(each.name, ast.unparse(each.element)) for each in found.lists] == [("one", "r"), ("two", "r * 2")]
    assert found.filling == found.node.body


def test_a_sum_over_the_steps_is_no_state() -> None:
    found = read("total = 0\nfor r in x:\n    total = total + F.exp(r)\nreturn total")
    assert found is not None
    assert (found.carried, found.last, [each.name for each in found.sums]) == ((), ("total",), ["total"])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("for r in x:\n    if r:\n        y = r\nreturn y", id="it does more than to bind names"),
        pytest.param("for r in x:\n    a = r\nreturn a + r", id="the row is read behind the loop"),
        pytest.param("for r in x:\n    out.append(r)\nreturn out", id="nobody knows where the list was made"),
        pytest.param(
            "out = []\nfor r in x:\n    a = r * len(out)\n    out.append(a)\nreturn out", id="it reads the list"
        ),
        pytest.param(
            "a, b = [], []\nfor r in x:\n    a.append(r)\n    b.append(r * len(a))\nreturn b", id="one reads the other"
        ),
        pytest.param("a = []\nfor r in x:\n    a.append(r)\n    a.append(-r)\nreturn a", id="one list gets two"),
    ],
)
def test_other_loops_are_none(body: str) -> None:
    assert read(body) is None
