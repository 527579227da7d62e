"""Tests of the values of literals, compared with Python's own function."""

from __future__ import annotations

import ast
import gc

import pytest

from hybridlint.text.literals import literal_value
from hybridlint.text.syntax import expression

LITERALS = (
    "1", "-1", "+1.5", "-2j", "1 + 2j", "-1 - 2j", "True", "None", "...", "'a'", "b'a'", "()", "(1, (2, 'a'))",
    "[1, []]", "{1, 2}", "set()", "{}", "{'a': [1], (1, 2): {3}}",
)  # fmt: skip
OTHERS = ("a", "-True", "not 1", "1 + 1", "1j + 1", "f(1)", "set([1])", "frozenset()", "{**a}", "(1, a)", "-(-1)", "~1")


@pytest.mark.parametrize("text", LITERALS)
def test_the_value_of_a_literal_is_python_s(text: str) -> None:
    value = literal_value(expression(text))
    known = ast.literal_eval(text)
    assert (value, type(value)) == (known, type(known))


@pytest.mark.parametrize("text", OTHERS)
def test_other_expressions_have_no_value(text: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        ast.literal_eval(text)
    with pytest.raises(ValueError, match=r"literal|unpacks"):
        literal_value(expression(text))


@pytest.mark.parametrize("text", ["{[]}", "{[]: 1}"])
def test_members_without_a_hash_raise_a_type_error(text: str) -> None:
    with pytest.raises(TypeError):
        literal_value(expression(text))


def test_no_value_leaves_garbage_behind() -> None:
    node = expression("{'a': [1, -2]}")
    gc.collect()
    literal_value(node)
    assert gc.collect() == 0
