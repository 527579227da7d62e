"""Places: where an expression stands, and what stands around it."""

from __future__ import annotations

import pytest

from hybridlint.fixers.toolkit import parentheses
from hybridlint.fixers.toolkit.places import indentation, place_of
from tests.fixers.bodies import framed, named


@pytest.mark.parametrize(
    ("text", "asked", "pair", "inside"),
    [
        ("z = a", parentheses.LOOSE, None, False),
        ("z = (a)", parentheses.LOOSE, "(a)", True),
        ("z = a * b", parentheses.PRODUCT, None, False),
        ("z = b * a", parentheses.SIGN, None, False),
        ("z = (a).T", parentheses.ATOM, "(a)", True),
        ("z = f(a)", parentheses.CHOICE, None, True),
        ("z = [a]", parentheses.CHOICE, None, True),
        ("z = b[a]", parentheses.CHOICE, None, True),
        ("z = a(b)", parentheses.ATOM, None, False),
        ("z = a[b]", parentheses.ATOM, None, False),
        ("z = f(k=a)", parentheses.CHOICE, None, True),
    ],
)
def test_the_place_of_an_expression(text: str, asked: int, pair: str | None, inside: bool) -> None:
    frame = framed(text)
    place = place_of(frame, named(frame, "a"))
    around = place.parenthesized
    assert frame.source.text[place.span.start : place.span.end] == "a"
    assert (place.level, None if around is None else text[around.start : around.end], place.inside) == (
        asked,
        pair,
        inside,
    )


def test_the_indentation_of_the_line_that_holds_an_offset() -> None:
    frame = framed("if a:\n    b = 1\nif d:\n\tc = 2\n")
    text = frame.source.text
    assert [indentation(frame, text.index(name)) for name in "abc"] == ["", "    ", "\t"]
