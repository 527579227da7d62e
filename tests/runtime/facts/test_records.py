"""Records are what dataclasses are, except that Python does not look on when a frozen one is changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from itertools import count
from typing import ClassVar

import pytest

from hybridlint.runtime.facts.records import record, replace

_NUMBERS = count()


@record(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    label: str = field(default="", compare=False)


@record(frozen=True, slots=True)
class Named(Point):
    names: list[str] = field(default_factory=list, hash=False, repr=False)


@record(frozen=True, slots=True)
class Single:
    value: float


@record(frozen=True, slots=True)
class Tagged:
    value: int
    tag: ClassVar[str] = "plain"


@record(frozen=True, slots=True, order=True)
class Version:
    major: int
    minor: int = 0


@record(slots=True, kw_only=True, eq=False)
class Options:
    first: int
    second: int = 2


@record()
class Numbered:
    name: str
    number: int = field(init=False, default_factory=lambda: next(_NUMBERS))
    doubled: str = ""

    def __post_init__(self) -> None:
        self.doubled = self.name * 2


def test_fields_are_given_by_place_or_by_name() -> None:
    assert (Point(1).y, Point(1, 3).y, Point(y=5, x=1).y) == (2, 3, 5)
    assert Named(1, names=["a"]).names == ["a"]
    assert Options(first=1).second == 2
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Options(1)  # type: ignore[call-arg]


def test_each_gets_what_a_factory_makes() -> None:
    assert Named(1).names is not Named(1).names
    assert Numbered("a").number != Numbered("a").number


def test_what_follows_construction_is_run() -> None:
    assert Numbered("ab").doubled == "abab"


def test_records_of_one_class_are_equal_where_what_is_compared_is() -> None:
    assert Point(1, label="a") == Point(1, label="b")
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert hash(Point(1, label="a")) == hash(Point(1, label="b"))
    assert {Named(1, names=["a"]): "found"}[Named(1, names=["a"])] == "found"
    assert Options(first=1) != Options(first=1)
    not_a_number = float("nan")
    assert Single(not_a_number) == Single(not_a_number), "as tuples of one object are"


def test_those_that_may_change_have_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Numbered("a"))


def test_an_order_is_that_of_the_fields() -> None:
    assert Version(1, 2) < Version(1, 3) <= Version(1, 3) < Version(2) > Version(1) >= Version(0, 9)
    with pytest.raises(TypeError, match="not supported"):
        Version(1) < Point(1)  # type: ignore[operator] # noqa: B015


def test_methods_of_the_class_itself_stay() -> None:
    @record(frozen=True, slots=True)
    class Anything:
        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "anything"

    assert Anything(1) == Point(1)
    assert (hash(Anything(1)), repr(Anything(1))) == (7, "anything")


def test_they_are_shown_matched_copied_and_sent_as_dataclasses_are() -> None:
    named = Named(1, label="a", names=["b"])
    assert repr(named) == "Named(x=1, y=2, label='a')"
    match named:
        case Named(x, y, label):
            assert (x, y, label) == (1, 2, "a")
    for same in (copy.copy(named), pickle.loads(pickle.dumps(named)), replace(named), dataclasses.replace(named)):
        assert same == named
        assert same.names == ["b"]
    assert replace(named, y=3) == Named(1, 3, names=["b"])
    assert [each.name for each in dataclasses.fields(named)] == ["x", "y", "label", "names"]
    with pytest.raises(TypeError, match="unexpected keyword"):
        replace(named, z=1)  # type: ignore[call-arg]


def test_one_with_slots_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 1  # type: ignore[attr-defined]


def test_replaced_ones_keep_what_belongs_to_the_class() -> None:
    assert replace(Tagged(1), value=2) == Tagged(2)
    with pytest.raises(TypeError, match="tag"):
        replace(Tagged(1), tag="other")  # type: ignore[call-arg]


def test_a_copy_of_slots_is_made_without_its_constructor() -> None:
    copied = replace(Version(1, 2), minor=3)
    assert (copied, type(copied)) == (Version(1, 3), Version)
    with pytest.raises(TypeError):
        replace(Version(1), micro=3)  # type: ignore[call-arg]
