"""Arguments of calls: one more, one less, others, each as it is written."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit import arguments
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.concrete import code
from tests.fixers.bodies import framed, named


def first_call(frame: CodeContext) -> ast.Call:
    return next(n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Call))


@pytest.mark.parametrize(
    ("text", "at", "left"),
    [
        ("f(a, b, c)", 1, "f(a, c)"),
        ("f(a, b, c)", 2, "f(a, b)"),
        ("f(a, k=b)", 1, "f(a)"),
        ("f(k=b, *a)", 1, "f(k=b)"),
        ("f(a)", 0, "f()"),
        ("f(a, b,)", 1, "f(a,)"),
        ("f(\n    a,  # one\n    b,\n)", 1, "f(\n    a,\n)"),
        ("f( a , b )", 1, "f( a )"),
    ],
)
def test_one_argument_less(text: str, at: int, left: str) -> None:
    frame = framed(text)
    call = first_call(frame)
    assert code(arguments.without_argument(frame, call, arguments.ordered_arguments(call)[at])) == left


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ("f()", "f(k=n + 1)"),
        ("f(a)", "f(a, k=n + 1)"),
        ("f(a, *b)", "f(a, *b, k=n + 1)"),
        ("f(\n    a,  # one\n)", "f(\n    a,  # one\n    k=n + 1,\n)"),
        ("f(i for i in a)", "f((i for i in a), k=n + 1)"),
    ],
)
def test_one_argument_more(text: str, longer: str) -> None:
    frame = framed(text)
    call = first_call(frame)
    assert code(arguments.with_argument(frame, call, arguments.by_name("k", expression("n + 1")))) == longer


def test_others_in_the_places_of_some() -> None:
    frame = framed("f(a,  b, k=c)")
    call = first_call(frame)
    new: dict[ast.expr | ast.keyword, cst.Arg] = {
        call.args[0]: cst.Arg(cst.Name("d")),
        call.keywords[0]: arguments.by_name("k", cst.Name("e")),
    }
    assert code(arguments.with_arguments(frame, call, new)) == "f(d,  b, k=e)"


def test_arguments_for_another_call_keep_stars_and_names() -> None:
    frame = framed("f(a, *b, k=c, **d)")
    call = first_call(frame)
    new = expression("g({parts})", parts=arguments.arguments(frame, call, but=call.args[0]))
    assert code(new) == "g(*b, k=c, **d)"


def test_all_by_position() -> None:
    frame = framed("f(a, k=b + 1)")
    call = first_call(frame)
    assert code(arguments.by_places(frame, call)) == "f(a, b + 1)"


def test_the_elements_of_a_list_as_arguments() -> None:
    frame = framed("z = [\n    a,  # one\n    *b,\n]")
    elements = frame.concrete(named(frame, "[a, *b]"))
    assert code(arguments.call_of_elements(cst.Name("f"), elements)) == "f(\n    a,  # one\n    *b,\n)"
