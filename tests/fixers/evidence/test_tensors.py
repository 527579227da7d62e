"""Proofs that a value is a tensor, which a caller could otherwise pass as a number or a list."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.tensors import (
    handled_as_tensor,
    is_array_method,
    is_given,
    is_no_list,
    may_be_first_number,
    met_as_tensor,
    proved_tensor,
)
from tests.fixers.bodies import fixed, met, named


@pytest.mark.parametrize(
    ("body", "text", "proved"),
    [
        ("return F.relu(x) + 1", "F.relu(x)", True),
        ("return x * 2 + y", "x", False),
        ("return x.reshape((-1,)) + y * 2", "x", True),
        ("return F.exp(x) + y", "y", False),
        ("z = F.exp(x)\nreturn -z", "-z", True),
    ],
)
def test_expressions_that_are_tensors_in_every_evaluation(body: str, text: str, proved: bool) -> None:
    frame = met(body)
    assert proved_tensor(frame, named(frame, text)) is proved


@pytest.mark.parametrize(
    ("body", "handled"),
    [
        ("return x.reshape((-1,))", True),
        ("return F.relu(x)", True),
        ("return F.dot(y, x)", True),
        ("return x + 1", False),
        ("return x.copy()", False),
        ("return F.concat(x, y)", False),
        ("x = F.exp(y)\nreturn x.reshape((-1,))", False),
    ],
)
def test_arguments_that_are_used_as_arrays_alone_can_be(body: str, handled: bool) -> None:
    assert handled_as_tensor(met(body), "x") is handled


def test_given_values_are_those_of_callers() -> None:
    frame = met("z = x * 2\nreturn F.relu(z) + y")
    assert is_given(frame.seen.value(named(frame, "x")))
    assert not is_given(frame.seen.value(named(frame, "F.relu(z)")))


@pytest.mark.parametrize(("name", "own"), [("reshape", True), ("asnumpy", True), ("copy", False), ("index", False)])
def test_methods_that_only_arrays_have(name: str, own: bool) -> None:
    assert is_array_method(name) is own


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ("t = 0\nfor w in (1, 2):\n    t = t + x * w\nreturn t + y", True),
        ("t = sum([x, y])\nreturn t + y", True),
        ("t = x * 2\nreturn t + y", False),
    ],
)
def test_sums_that_begin_with_a_number(body: str, first: bool) -> None:
    frame = met(body)
    assert may_be_first_number(frame, named(frame, "t + y")) is first


@pytest.mark.parametrize(
    ("body", "surely"),
    [
        ("z = x.reshape((-1,))\nreturn [x, y]", True),
        ("z = x / 2\nreturn [x, y]", True),
        ("if self.training:\n    z = x.reshape((-1,))\nreturn [x, y]", False),
        ("z = x.reshape((-1,)) if self.training else x\nreturn [x, y]", False),
        ("return [x, y]", False),
    ],
)
def test_uses_on_every_path_to_a_place(body: str, surely: bool) -> None:
    frame = met(body)
    assert met_as_tensor(frame, "x", named(frame, "[x, y]")) is surely


@pytest.mark.parametrize(
    ("body", "no_list"),
    [
        ("return x / 2", True),
        ("return x - y", True),
        ("return x[:, 0]", True),
        ("return x * 2", False),
        ("return x + y", False),
        ("return x[0]", False),
    ],
)
def test_arguments_that_are_used_as_no_list_can_be(body: str, no_list: bool) -> None:
    assert is_no_list(met(body), "x") is no_list


def test_a_fix_is_safe_where_the_value_is_proved() -> None:
    assert fixed("return x[:, 0]") == fixed("return x[:, 0]", unsafe=True) != "return x[:, 0]"
    assert fixed("return x[0]") == "return x[0]" != fixed("return x[0]", unsafe=True)
