"""Chains of calls: their links, and a call on each line."""

from __future__ import annotations

import libcst as cst
import pytest

from hybridlint.fixers.toolkit.chains import links, split_at_links
from hybridlint.text.concrete import code


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x.a(1).b(2).c(3)", 2),
        ("x.a(1)", 0),
        ("F.npx.a(x).b", 1),
        ("x[0].a(1).b(2)", 2),
        ("(x.a(1).b(2)).c(3)", 0),
        ("x + y.a(1).b(2)", 0),
    ],
)
def test_links_are_attributes_of_calls_and_items(text: str, count: int) -> None:
    assert links(cst.parse_expression(text)) == count


def test_each_link_gets_a_line_and_only_long_calls_are_opened() -> None:
    node = cst.parse_expression("x.first(1).second(two, three).third(4)")
    opened: list[str] = []

    def note(call: cst.Call) -> cst.BaseExpression:
        opened.append(code(call))
        return call

    split = split_at_links(node, "    ", 22, note)
    assert code(split) == "x.first(1)\n    .second(two, three)\n    .third(4)"
    assert opened == ["x.first(1).second(two, three)"]
