"""A batch runs all of its cases, and names those that fail."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NoReturn

import pytest

from tests.batches import batched, room_of

NUMBERS = [pytest.param(number, id=f"case-{number}") for number in range(6)]


def parity(number: int) -> str:
    return "odd" if number % 2 else "even"


@batched(NUMBERS, by=parity)
def test_what_is_drawn_in_a_case_depends_on_no_other(number: int) -> None:
    random.seed(number) if number == 1 else None
    assert number == 1 or random.random() == random.Random(0).random()


@batched(NUMBERS, by=parity)
def test_fixtures_come_after_the_values(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert isinstance(tmp_path_factory, pytest.TempPathFactory)
    assert number in range(6)


def test_every_case_is_tried_and_each_that_fails_is_named() -> None:
    tried = []

    @batched(NUMBERS, by=parity)
    def check(number: int) -> None:
        tried.append(number)
        assert number in {0, 1, 3}, f"too large: {number}"

    with pytest.raises(pytest.fail.Exception) as failed:
        check("even")
    assert tried == [0, 2, 4]
    told = str(failed.value)
    assert told.startswith("2 of 3 cases: case-2, case-4\n")
    assert "too large: 2" in told
    assert "too large: 4" in told


@pytest.mark.parametrize("leave", [pytest.fail, pytest.skip])
def test_a_case_that_leaves_hides_no_other(leave: Callable[[str], NoReturn]) -> None:
    @batched(NUMBERS, by=parity)
    def check(number: int) -> None:
        if number == 2:
            leave("nothing to see here")
        assert number == 0, "seen"

    with pytest.raises(pytest.fail.Exception, match="case-2, case-4") as failed:
        check("even")
    assert "seen" in str(failed.value)


def test_the_batches_are_the_tests() -> None:
    @batched(NUMBERS, by=parity)
    def check(number: int) -> None:
        """Compare."""

    [mark] = check.pytestmark  # type: ignore[attr-defined]
    assert (mark.args, check.__name__, check.__doc__) == (("batch", ["even", "odd"]), "check", "Compare.")


def test_operators_are_taken_by_the_module_of_their_kernel() -> None:
    from hybridlint.runtime.facts import registry

    assert room_of(registry.get("softmax")) == "nn.softmax"
