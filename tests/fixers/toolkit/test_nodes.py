"""Nodes whose number of parts, or whose operator, is known only when the fix is made."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.toolkit import nodes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.concrete import code


def test_an_assignment_to_several_names() -> None:
    assert code(nodes.assignment(["a", "b"], expression("f(x)"))) == "a = b = f(x)"


@pytest.mark.parametrize(
    ("operator", "left", "right", "written"),
    [
        (ast.Add(), "a", "b", "a + b"),
        (ast.Mult(), "a + b", "c", "(a + b) * c"),
        (ast.Sub(), "a", "b - c", "a - (b - c)"),
        (ast.Sub(), "a - b", "c", "a - b - c"),
        (ast.Pow(), "-a", "-b", "(-a) ** -b"),
        (ast.FloorDiv(), "a if b else c", "2", "(a if b else c) // 2"),
    ],
)
def test_operands_get_the_parentheses_that_the_operator_asks_for(
    operator: ast.operator, left: str, right: str, written: str
) -> None:
    assert code(nodes.binary(expression(left), operator, expression(right))) == written


def test_every_operator_of_python_can_be_written() -> None:
    for operator in ast.operator.__subclasses__():
        text = code(nodes.binary(cst.Name("a"), operator(), cst.Name("b")))
        parsed = ast.parse(text, mode="eval").body
        assert isinstance(parsed, ast.BinOp)
        assert type(parsed.op) is operator


def test_an_operator_by_its_spelling() -> None:
    assert code(nodes.operator_node(expression("a + b"), "<", expression("c"))) == "a + b < c"


def test_one_part_stands_alone_and_several_without_parentheses() -> None:
    assert code(nodes.in_row(["a"])) == "a"
    assert code(nodes.in_row(["a", expression("b + 1")])) == "a, b + 1"


def test_a_call_of_given_arguments() -> None:
    function = expression("a or b")
    arguments = [cst.Arg(cst.Name("x"), comma=cst.Comma()), cst.Arg(cst.Name("xs"), star="*")]
    assert code(nodes.call(function, arguments)) == "(a or b)(x, *xs)"


def test_keys_of_a_subscript() -> None:
    keys = [nodes.whole_axis(), nodes.between(1, None), nodes.between(None, -1), nodes.between(0, 2)]
    assert code(nodes.subscript(expression("-x"), keys)) == "(-x)[:, 1:, :-1, 0:2]"


def test_strings_are_quoted_as_python_reads_them() -> None:
    for text in ("plain", 'with "quotes"', "back\\slash", "ümlaut", "two\nlines"):
        assert ast.literal_eval(code(nodes.string(text))) == text
