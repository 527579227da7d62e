"""Comments of code that a rewrite drops, and the places that they get."""

from __future__ import annotations

import pytest

from hybridlint.fixers.toolkit.comments import Comment, carry_comments, comments_in, dropped_comments, origins
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.concrete import code
from tests.fixers.bodies import framed, named


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("a + b", []),
        ("a  # one", [Comment(3, "# one")]),
        ("'# none' + a  # one", [Comment(14, "# one")]),
        ("a,  # one\n    b,  # two", [Comment(4, "# one"), Comment(18, "# two")]),
        ("if a:  # one\n    b", [Comment(7, "# one")]),
    ],
)
def test_comments_of_a_text(text: str, comments: list[Comment]) -> None:
    assert comments_in(text) == comments


def test_each_comment_is_counted() -> None:
    before = "a  # same\nb  # same\nc  # other"
    assert [c.text for c in dropped_comments(before, "a  # same")] == ["# same", "# other"]
    assert dropped_comments(before, before) == []


def test_a_comment_follows_the_part_that_it_stood_after() -> None:
    frame = framed("z = f(\n    a,  # first\n    b,  # second\n)")
    parts = [frame.concrete(named(frame, name)) for name in "ab"]
    new = expression("F.g({a}, {b})", a=parts[0], b=parts[1])
    text = code(carry_comments(new, comments_in(frame.source.text), ""))
    assert text == "F.g(\n    a,  # first\n    b,  # second\n)"


def test_a_comment_before_all_parts_stands_at_the_beginning() -> None:
    frame = framed("z = f(  # first\n    a)")
    new = expression("F.g({a})", a=frame.concrete(named(frame, "a")))
    text = code(carry_comments(new, comments_in(frame.source.text), ""))
    assert text.startswith("F.g(  # first\n")
    assert code(expression("{x}", x=new)) == "F.g(a)"


def test_the_parts_that_come_from_the_file_know_their_places() -> None:
    frame = framed("z = f(a, b + c)")
    whole = expression("F.g({p}, 1, {q})", p=frame.concrete(named(frame, "b + c")), q=frame.concrete(named(frame, "a")))
    assert [frame.source.text[span.start : span.end] for span in origins(whole)] == ["b + c", "a"]
