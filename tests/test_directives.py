"""Comments that say how a block is built and called."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hybridlint.project.settings.directives import DeclaredSetup, DirectiveError, parse, read_recipes
from hybridlint.text.source import SourceFile


def _read(text: str) -> dict[str, DeclaredSetup]:
    recipes, errors = read_recipes(SourceFile(Path("x.py"), dedent(text)))
    assert not errors
    return recipes


def test_everything_that_a_directive_can_say() -> None:
    text = '(args=(3, nn.Dense(4)), kwargs={"a": [1]}, inputs=[(2, 3), ("N", 3, "int32", range(5)), [(1,)], None])'
    assert parse(text) == DeclaredSetup(
        args=("3", "nn.Dense(4)"),
        kwargs={"a": "[1]"},
        inputs=(
            {"shape": [2, 3]},
            {"shape": ["N", 3], "dtype": "int32", "low": 0, "high": 5, "integers": True},
            {"list": [{"shape": [1]}]},
            {"expression": "None"},
        ),
    )


def test_inputs_by_name() -> None:
    assert parse('(x=(N, 3), y=(2, "float64", uniform(1, 2)))').named == {
        "x": {"shape": ["N", 3]},
        "y": {"shape": [2], "dtype": "float64", "low": 1, "high": 2, "integers": False},
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(args=(3)", "brackets do not close"),
        ("(args=3)", "`args` must be a tuple or a list; with one element that is `(3,)`"),
        ("(3)", "takes keyword arguments only, `3` has no name"),
        ("(kwargs=[1])", "`kwargs` must be a dict"),
        ("(kwargs={1: 2})", "the keys of `kwargs` must be strings"),
        ("(x=(2, 1.5))", "`1.5` is no size"),
        ("(x=(-1, 2))", "`-1` is no size"),
        ("(x=(2, range(0)))", "is an empty range"),
        ("(x=(2, normal(0, 1)))", "is no range of values"),
        ("(**x)", "takes no ** arguments"),
        ("", "takes its arguments in brackets"),
    ],
)
def test_what_cannot_be_read_gives_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(DirectiveError) as error:
        parse(text)
    assert reason in error.value.reason
    assert "\n" not in error.value.reason


def test_the_class_that_a_directive_speaks_for() -> None:
    recipes = _read(
        """
        # hybridlint: verify(args=(1,))
        @decorated
        class A:
            # hybridlint: verify(args=(2,))
            class B:
                # hybridlint: shapes(x=(2, 3))
                def hybrid_forward(self, F, x): ...

                # hybridlint: shapes(y=(2, 3))
                def helper(self, F, y): ...

        class C:
            def hybrid_forward(self, F, x):
                # hybridlint: shapes(x=("N", 3))
                return x
        """
    )
    assert recipes == {
        "A": DeclaredSetup(args=("1",)),
        "A.B": DeclaredSetup(args=("2",), named={"x": {"shape": [2, 3]}}),
        "C": DeclaredSetup(named={"x": {"shape": ["N", 3]}}),
    }


def test_a_directive_over_several_lines() -> None:
    recipes = _read(
        """
        # hybridlint: verify(args=(1,),
        #     inputs=[(2, 3)])
        class A: ...
        """
    )
    assert recipes == {"A": DeclaredSetup(args=("1",), inputs=({"shape": [2, 3]},))}


def test_what_verify_says_goes_before_shapes() -> None:
    recipes = _read(
        """
        # hybridlint: verify(x=(4, 5))
        class A:
            # hybridlint: shapes(x=(2, 3), y=(1,))
            def hybrid_forward(self, F, x, y): ...
        """
    )
    assert recipes["A"].named == {"x": {"shape": [4, 5]}, "y": {"shape": [1]}}


def test_errors_name_the_line() -> None:
    recipes, errors = read_recipes(SourceFile(Path("x.py"), "\n# hybridlint: verify(args=(3)\nclass A: ...\n"))
    assert not recipes
    assert errors["A"].row == 2
