"""Signatures of operators that a project declares: what they say of results, and what is no signature."""

from __future__ import annotations

import re

import pytest

from hybridlint.runtime.facts.declared import parse
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.types import TensorType

N, K = Dim.named("N"), Dim.named("K")


def _results(text: str, *shapes: object, **numbers: int) -> list[str]:
    given = [TensorType(shape) for shape in shapes]  # type: ignore[arg-type]
    return [str(found) for found in parse(text).results_of(given, {}, numbers)]


@pytest.mark.parametrize(
    ("text", "shapes", "results"),
    [
        ("(N, K), (K, M) -> (N, M)", [(N, 3), (3, 5)], ["(N, 5)"]),
        ("(N, K), (K, M) -> (N, M)", [(2, 3), None], ["(2, ?)"]),
        ("(..., K) -> (...)", [(2, 3, 4)], ["(2, 3)"]),
        ("(N, ..., K) -> (K, ..., N)", [(2, 3, 4)], ["(4, 3, 2)"]),
        ("(...) -> (...)", [None], ["(unknown shape)"]),
        ("(N, C) -> (N), (N, 2*C + 1)", [(2, 3)], ["(2,)", "(2, 7)"]),
        ("(N, C) -> (N, C//2)", [(N, 6)], ["(N, 3)"]),
        ("(N, C) -> (N//0)", [(2, 3)], ["(?,)"]),
        ("(N, ?) -> (N, ?)", [(2, 3)], ["(2, ?)"]),
        ("(N, C) -> *", [(2, 3)], ["(unknown shape)"]),
        ("*, (N) -> (N)", [(2, 3), (7,)], ["(7,)"]),
        ("(N,) -> ()", [(2,)], ["()"]),
        ("-> (3)", [], ["(3,)"]),
    ],
)
def test_results_follow_from_inputs(text: str, shapes: list[object], results: list[str]) -> None:
    assert _results(text, *shapes) == results


def test_an_input_of_another_rank_gives_no_sizes() -> None:
    assert _results("(N, K) -> (N, 4)", (2, 3, 4)) == ["(?, 4)"]
    assert _results("(N, ..., K) -> (N, ...)", (2,)) == ["(unknown shape)"]


def test_a_name_that_no_input_has_is_a_keyword_of_the_call() -> None:
    assert _results("(N, C) -> (N, size, size)", (2, 3), size=7) == ["(2, 7, 7)"]
    assert _results("(N, C) -> (N, size)", (2, 3)) == ["(2, ?)"]


def test_inputs_are_given_by_their_names_too() -> None:
    signature = parse("data(N, K), weight(K, M) -> (N, M)")
    assert str(signature.results_of([TensorType((2, 3))], {"weight": TensorType((3, 5))}, {})[0]) == "(2, 5)"
    assert str(signature.results_of([TensorType((3, 5))], {"data": TensorType((2, 3))}, {})[0]) == "(2, 5)"


def test_an_unknown_size_is_that_of_another_input_of_the_same_name() -> None:
    assert _results("(N, K), (N, M) -> (N, K)", None, (4, 5)) == ["(4, ?)"]
    assert _results("(N), (N) -> (N)", (Dim.fresh(),), (4,)) == ["(4,)"]


def test_results_have_the_dtype_of_the_first_input() -> None:
    assert parse("(N) -> (N)").results_of([TensorType((2,), "float16")], {}, {})[0].dtype == "float16"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(N, C)", "there is not one `->` in it"),
        ("(N) -> (N) -> (N)", "there is not one `->` in it"),
        ("(N) ->", "there is no result behind `->`"),
        ("N -> (N)", "`N` is no shape"),
        ("(N) (C) -> (N)", "there is no comma before `(C)`"),
        ("(N, C+) -> (N)", "`C+` is no size"),
        ("(N, f(C)) -> (N)", "`f(C)` is no size"),
        ("(N, -1) -> (N)", "`-1` is no size"),
        ("(2*N) -> (N)", "`2 * N` is computed, which only a size of a result may be"),
        ("(..., C, ...) -> (C)", "has `...` twice"),
        ("(N) -> (N, ...)", "a result has `...`, and no input has"),
    ],
)
def test_what_is_no_signature(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        parse(text)
