"""The parameters of a function by name, and their default values."""

from __future__ import annotations

import ast

import pytest

from hybridlint.text.parameters import defaults_of, names_of, required_of


def _spec(parameters: str) -> ast.arguments:
    function = ast.parse(f"def f({parameters}): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.args


@pytest.mark.parametrize(
    ("parameters", "names", "required", "defaults"),
    [
        ("", [], [], {}),
        ("a, b", ["a", "b"], ["a", "b"], {}),
        ("a, b=1", ["a", "b"], ["a"], {"b": "1"}),
        ("a, b=1, /, c=2", ["a", "b", "c"], ["a"], {"b": "1", "c": "2"}),
        ("a=1, *rest, b, c=2, **others", ["a", "b", "c"], [], {"a": "1", "c": "2"}),
        ("*, a=None, b", ["a", "b"], [], {"a": "None"}),
    ],
)
def test_parameters_have_names_and_some_have_default_values(
    parameters: str, names: list[str], required: list[str], defaults: dict[str, str]
) -> None:
    spec = _spec(parameters)
    assert (names_of(spec), required_of(spec)) == (names, required)
    assert {name: ast.unparse(value) for name, value in defaults_of(spec).items()} == defaults
