"""What the statements of one step of a loop do with names."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.loops.flows import LoopFlow, changed_in, flow_of, is_plain
from tests.fixers.bodies import lines


def flow(text: str) -> LoopFlow | None:
    return flow_of(ast.parse(lines(text)).body)


def test_names_are_read_before_they_are_bound() -> None:
    found = flow("a = f(x, h)\nh, c = g(a, h)\nd = h")
    assert found is not None
    assert found.early == ["f", "x", "h", "g"]
    assert found.surely == {"a", "h", "c", "d"}


def test_what_branches_and_loops_bind_may_be_what_it_was() -> None:
    found = flow("if flag:\n    a = x\n    b = x\nelse:\n    a = y\nfor k in ks:\n    c = k\nd = c")
    assert found is not None
    assert (found.surely, found.perhaps) == ({"a", "d"}, {"b", "c", "k"})
    assert "c" in found.early
    assert "k" not in found.early


def test_lists_of_a_step_and_items_of_others() -> None:
    found = flow("new = []\nfor k, cell in cells:\n    x = cell(x, h[k])\n    h[k] = x\n    new.append(x)")
    assert found is not None
    assert (found.lists, found.changed) == ({"new"}, {"h"})
    assert changed_in(ast.parse("h[0] = x\nk = h").body) == {"h"}


OTHER = ["x += h", "while x:\n    pass", "rows.append(x)", "x.y = h", "print(x)", "for k in ks:\n    break", "del x"]


@pytest.mark.parametrize("text", OTHER)
def test_what_a_step_of_foreach_cannot_do(text: str) -> None:
    assert flow(text) is None


def test_targets_of_names_alone() -> None:
    (statement,) = ast.parse("a, (b, c), d.e = x").body
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.targets[0], ast.Tuple)
    assert [is_plain(part) for part in statement.targets[0].elts] == [True, True, False]
