"""Calls of helpers: which function or method of the file a call surely enters, and what its parameters get."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.helper_calls import HelperCall, helper_call
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import named

CODE = """
def split(x, heads, axis=1):
    y = x.reshape((0, 0, heads, -1))
    return y.swapaxes(axis, 2)

def early(x):
    if x is None:
        return 1
    return x

@decorated
def other(x):
    return x

class Base:
    def turned(self, F, x):
        return F.swapaxes(x, 0, 1)

    def own(self, x):
        return x

class Net(Base):
    def hybrid_forward(self, F, x):
        split(x, 4); split(x, heads=4, axis=2); split(*x); early(x); other(x); F.relu(x)
        self.turned(F, x); self.own(x); unknown(x)

class Heir(Net):
    def own(self, x):
        return x * 2
"""


def entered(text: str) -> HelperCall | None:
    source = SourceFile(Path("x.py"), CODE)
    methods = (n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef))
    function = next(n for n in methods if n.name == "hybrid_forward")
    frame = replace(CodeContext(source, "Net", None, "F", "legacy"), function=function)
    call = named(frame, text)
    assert isinstance(call, ast.Call)
    return helper_call(frame, call)


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("split(x, 4)", "split", {"x": "x", "heads": "4"}),
        ("split(x, heads=4, axis=2)", "split", {"x": "x", "heads": "4", "axis": "2"}),
        ("self.turned(F, x)", "turned", {"F": "F", "x": "x"}),
    ],
)
def test_what_parameters_get(text: str, name: str, given: dict[str, str]) -> None:
    found = entered(text)
    assert found is not None
    assert found.function.name == name
    assert {key: ast.unparse(value) for key, value in found.given.items()} == given


@pytest.mark.parametrize("text", ["split(*x)", "early(x)", "other(x)", "F.relu(x)", "unknown(x)"])
def test_other_calls_are_not_followed(text: str) -> None:
    assert entered(text) is None


def test_a_method_that_a_subclass_overrides_is_not_surely_entered() -> None:
    assert entered("self.own(x)") is None


def test_operators_have_the_name_by_which_the_helper_gets_them() -> None:
    for text, functions in (("self.turned(F, x)", "F"), ("split(x, 4)", None)):
        found = entered(text)
        assert found is not None
        source = SourceFile(Path("x.py"), CODE)
        assert found.entered(CodeContext(source, "Net", None, "F", "legacy")).functions == functions
