"""Code that asks values of which nothing is known goes every way."""

from __future__ import annotations

from hybridlint.runtime.facts.abstract.choices import Open, is_open, one_of, ways
from hybridlint.runtime.facts.dims import Dim


def test_each_answer_to_each_question_is_a_way() -> None:
    def run() -> tuple[bool, bool]:
        first, second = Open.new(), Open.new()
        return bool(first), second > 0

    assert sorted(ways(run, ())) == [(False, False), (False, True), (True, False), (True, True)]


def test_a_question_that_is_asked_again_has_the_same_answer() -> None:
    def run() -> bool:
        value = Open.new()
        first = bool(value)
        return first == bool(value)

    assert ways(run, ()) == [True, True]


def test_of_too_many_ways_those_are_gone_in_which_each_question_is_answered_otherwise() -> None:
    def run() -> tuple[bool, ...]:
        return tuple(bool(Open.new()) for _ in range(10))

    found = ways(run, ())
    assert len(found) < 2**10
    assert {answers.index(False) for answers in found if answers.count(False) == 1} == set(range(10))


def test_ways_that_fail_give_nothing() -> None:
    def run() -> str:
        if Open.new():
            raise ValueError
        return "otherwise"

    assert ways(run, (ValueError,)) == ["otherwise"]


def test_each_of_several_values_is_chosen_once() -> None:
    assert sorted(ways(lambda: one_of(["a", "b", "c"]), ())) == ["a", "b", "c"]


def test_what_is_computed_of_an_open_value_is_open() -> None:
    kernel, height = Open.new(), Dim.named("H")
    assert is_open(kernel)
    assert is_open((height - kernel) // 2 + 1)
    assert not is_open(height // 2)
    assert not is_open(3)
