"""Rewriting: what changes and nothing else, with the parentheses and comments that belong to it."""

from __future__ import annotations

import pytest

from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.concrete import code, parentheses_around
from hybridlint.text.edits import Applicability, apply_edits
from tests.fixers.bodies import framed, lines, named


def rewritten(text: str, old: str, template: str, *parts: str) -> str:
    """Return a text in which one expression is replaced by a template of its parts."""
    frame = framed(text)
    given = {f"p{i}": frame.concrete(named(frame, part)) for i, part in enumerate(parts)}
    fix = rewrite(frame, named(frame, old), expression(template, **given), Applicability.SAFE)
    return text if fix is None else apply_edits(text, fix.edits)


PARENTHESES = {
    "added beside a product": ("z = f(a) * 2", "f(a)", "{p0} + 1", ("a",), "z = (a + 1) * 2"),
    "added before a dot": ("z = f(a).T", "f(a)", "-{p0}", ("a",), "z = (-a).T"),
    "none added in a call": ("z = g(f(a))", "f(a)", "{p0} + 1", ("a",), "z = g(a + 1)"),
    "there already": ("z = (f(a)) * 2", "f(a)", "{p0} + 1", ("a",), "z = (a + 1) * 2"),
    "no longer needed": ("z = (a + 1) * 2", "a + 1", "f({p0})", ("a",), "z = f(a) * 2"),
    "never needed, and the author's": ("z = (a + 1)", "a + 1", "f({p0})", ("a",), "z = (f(a))"),
    "that held lines together": ("z = (\n    a\n    + b\n)", "a + b", "f({p0}, {p1})", ("a", "b"), "z = f(a, b)"),
    "that hold lines together": ("z = (\n    a\n    + b\n)", "a + b", "{p0} - b", ("a",), "z = (\n    a - b\n)"),
    "those of a call": ("z = g(a + 1)", "a + 1", "f({p0})", ("a",), "z = g(f(a))"),
    "of a keyword's value": ("return (a + 1)[0]", "a + 1", "f({p0})", ("a",), "return f(a)[0]"),
    "around several lines": (
        "z = a.b(\n    c).d(\n    e)",
        "a.b(c).d(e)",
        "{p0} + {p1}",
        ("c", "e"),
        "z = c + e",
    ),
}


@pytest.mark.parametrize(("before", "old", "template", "parts", "after"), PARENTHESES.values(), ids=PARENTHESES.keys())
def test_parentheses(before: str, old: str, template: str, parts: tuple[str, ...], after: str) -> None:
    if "return" in before:
        before, after = f"def g(a):\n    {before}", f"def g(a):\n    {after}"
    assert rewritten(before, old, template, *parts) == after


COMMENTS = {
    "after the opening bracket": (
        "z = a[  # why\n    0]",
        "a[0]",
        "F.take({p0}, 0)",
        ("a",),
        """
        z = F.take(
            a,  # why
            0,
        )
        """,
    ),
    "before all that is kept": (
        "z = f(  # why\n    a)",
        "f(a)",
        "F.take({p0}, 0)",
        ("a",),
        """
        z = F.take(  # why
            a, 0
        )
        """,
    ),
    "of two parts": (
        "z = (\n    a  # one\n    + b  # two\n    + c\n)",
        "a + b + c",
        "F.add_n({p0}, {p1}, {p2})",
        ("a", "b", "c"),
        """
        z = F.add_n(
            a,  # one
            b,  # two
            c,
        )
        """,
    ),
    "where there are no brackets": (
        "z = f(\n    a,  # why\n    0)",
        "f(a, 0)",
        "{p0} + 1",
        ("a",),
        """
        z = (  # why
            a + 1
        )
        """,
    ),
    "inside what is kept": (
        "z = f(g(\n    a,  # why\n), 0)",
        "f(g(a), 0)",
        "{p0} + 1",
        ("g(a)",),
        """
        z = g(
            a,  # why
        ) + 1
        """,
    ),
    "two of one part": (
        "z = f(\n    a,  # one\n    # two\n    0)",
        "f(a, 0)",
        "F.take({p0}, 0)",
        ("a",),
        """
        z = F.take(
            a,  # one
            # two
            0,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "old", "template", "parts", "after"), COMMENTS.values(), ids=COMMENTS.keys())
def test_comments_are_carried_along(before: str, old: str, template: str, parts: tuple[str, ...], after: str) -> None:
    assert rewritten(before, old, template, *parts) == lines(after)


@pytest.mark.parametrize(
    "before", ["z = f'{a} and {b.T}'", 'z = f"""{a}\n  and {b.T:>{c}}"""', 'z = (f"{a}"\n f"{b.T}")']
)
def test_in_an_f_string_nothing_else_is_hit(before: str) -> None:
    """Python before 3.12 tells positions in f-strings that may be wrong: what stands there is left alone then."""
    assert rewritten(before, "b.T", "{p0}", "b") in {before, before.replace("b.T", "b")}


def test_parts_stand_in_the_places_of_others() -> None:
    frame = framed("z = (a[0] + b).exp(  # why\n    c)")
    new = concrete_with(frame, named(frame, "(a[0] + b).exp(c)"), {named(frame, "a[0]"): expression("F.first(a)")})
    assert code(new) == "(F.first(a) + b).exp(  # why\n    c)"


def test_parts_get_the_parentheses_of_their_places() -> None:
    frame = framed("z = a[0].exp()")
    new = concrete_with(frame, named(frame, "a[0].exp()"), {named(frame, "a[0]"): expression("-a")})
    assert code(new) == "(-a).exp()"


@pytest.mark.parametrize(
    ("text", "around"),
    [
        ("(a)", "(a)"),
        ("f(a)", None),
        ("(f)(a)", None),
        ("g[0](a)", None),
        ("x = ( a  # why\n)", "( a  # why\n)"),
        ("y = not (a)", "(a)"),
        ("(a) + b", "(a)"),
        ("(a + b)", None),
    ],
)
def test_parentheses_around(text: str, around: str | None) -> None:
    frame = framed(text)
    span = parentheses_around(frame.source, named(frame, "a"))
    assert (None if span is None else text[span.start : span.end]) == around
