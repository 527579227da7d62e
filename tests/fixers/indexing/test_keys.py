"""Keys of subscripts, as they are written."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import StaticValue
from hybridlint.fixers.indexing.keys import (
    flat_keys,
    is_ellipsis,
    is_none,
    listed_rows,
    literal,
    selects_output,
    whole_slice,
)
from tests.fixers.bodies import module


def key(text: str) -> ast.expr:
    node = ast.parse(f"x[{text}]", mode="eval").body
    assert isinstance(node, ast.Subscript)
    return node.slice


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", 3), ("-3", -3), ("True", 1), ("np.int32(4)", 4), ("n", None), ("1.5", None), ("'1'", None), ("--1", None)],
)
def test_integers_that_are_written_out(text: str, number: int | None) -> None:
    assert literal(key(text)) == number
    assert literal(None) is None


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("(0, 1)", ["0", "1"]),
        ("0:2", [":2"]),
        ("slice(1, 2)", ["1:2"]),
        ("slice(3)", [":3"]),
        ("slice(None, None, 2)", ["::2"]),
        ("n", ["n"]),
    ],
)
def test_tuples_and_slices_as_the_keys_that_they_mean(text: str, flat: list[str]) -> None:
    keys, values = flat_keys([key(text)], [StaticValue(None)])
    assert [ast.unparse(ast.Subscript(ast.Name("x"), k)) for k in keys] == [
        f"x[{t}]" if t != ":2" else "x[0:2]" for t in flat
    ]
    assert len(keys) == len(values)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("[0, 2]", [0, 2]),
        ("[-1]", [-1]),
        ("range(1, 4)", [1, 2, 3]),
        ("nd.array([0, 1])", [0, 1]),
        ("[True, False]", None),
        ("[0, n]", None),
        ("[]", None),
        ("range(100)", None),
        ("n", None),
    ],
)
def test_rows_that_are_listed(text: str, rows: list[int] | None) -> None:
    assert listed_rows(key(text)) == rows


def test_flags_are_numbers_where_they_do_not_choose() -> None:
    assert listed_rows(key("[True, False]"), flags=True) == [1, 0]


@pytest.mark.parametrize(
    ("text", "whole"),
    [(":", True), ("0:", True), ("None:None", True), ("::1", True), ("1:", False), (":2", False), ("::2", False)],
)
def test_slices_of_everything(text: str, whole: bool) -> None:
    assert whole_slice(key(text)) is whole


def test_slices_with_a_bound_that_is_unknown_are_not_of_everything() -> None:
    assert not whole_slice(key("n:"))
    assert not whole_slice(key("0"))


@pytest.mark.parametrize(("text", "none"), [("None", True), ("np.newaxis", True), ("0", False), ("n", False)])
def test_new_axes(text: str, none: bool) -> None:
    assert is_none(key(text)) is none


@pytest.mark.parametrize(("text", "dots"), [("...", True), ("Ellipsis", True), (":", False)])
def test_ellipses(text: str, dots: bool) -> None:
    assert is_ellipsis(key(text)) is dots


@pytest.mark.parametrize(
    ("text", "selects"),
    [("0", True), (":1", True), ("0:1:2", True), ("1", False), (":", False), ("0, 1", False), ("-1", False)],
)
def test_keys_that_a_symbol_answers_with_itself(text: str, selects: bool) -> None:
    events = module_events(module(f"return F.relu(x)[{text}]"))
    event = next(event for event in events if isinstance(event, Subscript))
    assert selects_output(event) is selects
