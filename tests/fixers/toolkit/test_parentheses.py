"""Parentheses: those that Python needs, and no others."""

from __future__ import annotations

import ast
import itertools

import pytest

from hybridlint.fixers.toolkit import parentheses
from hybridlint.fixers.toolkit.parentheses import ATOM, LOOSE, fit_parentheses, level, parenthesize, required_level
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.concrete import code
from tests.batches import batched

#: From the loosest to the tightest, as Python's reference lists them.
IN_ORDER = [
    "a if b else c",
    "a or b",
    "a and b",
    "not a",
    "a < b",
    "a | b",
    "a ^ b",
    "a & b",
    "a << b",
    "a + b",
    "a * b",
    "-a",
    "a ** b",
    "a",
]


def test_levels_grow_from_the_loosest_to_the_tightest() -> None:
    levels = [level(expression(text)) for text in IN_ORDER]
    assert levels == sorted(set(levels))


def test_a_pair_of_parentheses_makes_an_atom() -> None:
    node = parenthesize(expression("a + b"))
    assert (code(node), level(node)) == ("(a + b)", ATOM)


OUTER = [
    *(
        "{x} * a",
        "a * {x}",
        "{x} - a",
        "a - {x}",
        "{x} ** a",
        "a ** {x}",
        "-{x}",
        "not {x}",
        "{x}.T",
        "{x}(a)",
        "{x}[0]",
    ),
    *(
        "f({x})",
        "f(k={x})",
        "[{x}]",
        "{x} if a else b",
        "b if a else {x}",
        "{x} < a",
        "a < {x}",
        "a or {x}",
        "a and {x}",
    ),
]


@batched(
    (pytest.param(*pair, id=" of ".join(pair)) for pair in itertools.product(OUTER, IN_ORDER)), lambda outer, _: outer
)
def test_what_is_put_into_a_place_is_read_as_one_operand(outer: str, inner: str) -> None:
    """The text without parentheses is taken where Python reads it alike; else it has them."""
    written = code(expression(outer, x=expression(inner)))
    bare, safe = outer.replace("{x}", inner), outer.replace("{x}", f"({inner})")
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(safe))
    if written != bare:
        assert written == safe
        assert ast.dump(_parsed(bare)) != ast.dump(ast.parse(safe))


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Pass()


def test_parentheses_with_a_comment_stay() -> None:
    place = cst.Arg(cst.Name("x"))
    assert code(fit_parentheses(expression("(a)"), place, "value")) == "a"
    assert code(fit_parentheses(cst.parse_expression("(  # why\n    a)"), place, "value")) == "(  # why\n    a)"


def test_an_integer_before_a_dot_stands_in_parentheses() -> None:
    assert code(expression("{x}.real", x=cst.Integer("1"))) == "(1).real"


@pytest.mark.parametrize(
    ("text", "asked"),
    [("f(x)", "CHOICE"), ("x", "LOOSE"), ("x.T", "ATOM"), ("x(a)", "ATOM"), ("x[0]", "ATOM"), ("a * x", "SIGN")],
)
def test_the_level_that_a_place_of_the_file_needs(text: str, asked: str) -> None:
    tree = ast.parse(text)
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "x")
    parent = next(p for p in ast.walk(tree) if node in ast.iter_child_nodes(p))
    assert required_level(parent, node) == getattr(parentheses, asked)
    assert required_level(None, node) == LOOSE
