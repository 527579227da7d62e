"""Brackets: what they hold, and how they are laid out over several lines."""

from __future__ import annotations

import pytest

from hybridlint.fixers.toolkit.brackets import (
    held_items,
    open_brackets,
    split_at_operators,
    takes_comma,
    with_held_items,
)
from hybridlint.text import cst
from hybridlint.text.concrete import code


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("f(a, k=b)", ["a", "k=b"]),
        ("[a, b]", ["a", "b"]),
        ("(a, b)", ["a", "b"]),
        ("x.f(a)", ["a"]),
        ("a + b", []),
        ("a", []),
    ],
)
def test_what_an_expression_holds_at_its_end(text: str, held: list[str]) -> None:
    items = held_items(cst.parse_expression(text))
    assert [code(item).rstrip(", ") for item in items] == held


def test_other_items_in_the_same_brackets() -> None:
    whole = cst.parse_expression("f(a, b)")
    assert code(with_held_items(whole, held_items(whole)[1:])) == "f(b)"


@pytest.mark.parametrize(
    ("text", "one_line", "after", "laid_out"),
    [
        ("f(a, b)", False, {}, "f(\n        a,\n        b,\n    )"),
        ("f(a, b)", True, {}, "f(\n        a, b\n    )"),
        ("f(a, b)", False, {0: ["# one"]}, "f(\n        a,  # one\n        b,\n    )"),
        ("[a, b]", False, {1: ["# two"]}, "[\n        a,\n        b,  # two\n    ]"),
        ("f(a, *b)", False, {}, "f(\n        a,\n        *b,\n    )"),
    ],
)
def test_items_on_lines_of_their_own(text: str, one_line: bool, after: dict[int, list[str]], laid_out: str) -> None:
    assert code(open_brackets(cst.parse_expression(text), "    ", [], after, one_line=one_line)) == laid_out


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("a + b * c - d", "a\n    + b * c\n    - d"),
        ("a and b or c", "a and b\n    or c"),
        ("a if b else c", "a\n    if b\n    else c"),
    ],
)
def test_the_loosest_operators_begin_lines(text: str, split: str) -> None:
    assert code(split_at_operators(cst.parse_expression(text), "    ")) == split


@pytest.mark.parametrize(
    ("text", "may"),
    [("f(a)", True), ("[a]", True), ("f(i for i in a)", False), ("(a, b)", True), ("f((i for i in a))", True)],
)
def test_brackets_that_a_comma_does_not_change(text: str, may: bool) -> None:
    assert takes_comma(cst.parse_expression(text)) is may
