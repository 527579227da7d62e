"""Statements: put in the place of others, beside them, out of blocks and into them; no comment is lost."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.statements import (
    delete_statement,
    held_by,
    insert_statements,
    join_fixes,
    replace_statements,
    statements_with,
    taken_out,
)
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text.concrete import statements_at
from hybridlint.text.edits import Applicability, Edit, Fix, apply_edits
from hybridlint.text.source import SourceFile, Span
from tests.fixers.bodies import lines, named

SAFE = Applicability.SAFE


def framed(text: str) -> CodeContext:
    source = SourceFile(Path("x.py"), lines(text) + "\n")
    return CodeContext(source, None, None, "F", "legacy", statement=source.tree.body[0])


def body(frame: CodeContext) -> list[ast.stmt]:
    """Return the statements in the function that a file consists of."""
    function = frame.source.tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.body


def after(frame: CodeContext, fix: Fix | None) -> str:
    assert fix is not None
    return apply_edits(frame.source.text, fix.edits).removesuffix("\n")


GUARDED = {
    "one": (
        "def f(x):\n    assert x\n    return x",
        "def f(x):\n    if F is nd:\n        assert x\n    return x",
    ),
    "over several lines": (
        "def f(x):\n    assert g(  # why\n        x,\n    )\n    return x",
        "def f(x):\n    if F is nd:\n        assert g(  # why\n            x,\n        )\n    return x",
    ),
    "with a string whose lines are its own": (
        'def f(x):\n    print("""\n  a\n""")\n    return x',
        'def f(x):\n    if F is nd:\n        print("""\n  a\n""")\n    return x',
    ),
    "with comments above and behind": (
        "def f(x):\n    # above\n    assert x  # behind\n    return x",
        "def f(x):\n    # above\n    if F is nd:\n        assert x  # behind\n    return x",
    ),
    "a block": (
        "def f(x):\n    if x:  # head\n        # inner\n        raise E\n    return x",
        "def f(x):\n    if F is nd:\n        if x:  # head\n            # inner\n            raise E\n    return x",
    ),
    "two spaces": ("def f(x):\n  assert x\n  return x", "def f(x):\n  if F is nd:\n    assert x\n  return x"),
    "tabs": ("def f(x):\n\tassert x\n\treturn x", "def f(x):\n\tif F is nd:\n\t\tassert x\n\treturn x"),
}


@pytest.mark.parametrize(("before", "result"), GUARDED.values(), ids=GUARDED.keys())
def test_statements_go_under_a_guard(before: str, result: str) -> None:
    frame = framed(before)
    first = body(frame)[0]
    new = statements("if {F} is nd:\n    {body}", F="F", body=statements_at(frame.source, [first]))
    assert after(frame, replace_statements(frame, first, new, SAFE, message="Guard it")) == result


def test_statements_with_comments_between_go_together() -> None:
    frame = framed("def f(x):\n    a = 1  # one\n\n    # two\n    b = 2\n    return x")
    pair = body(frame)[:2]
    new = statements("if F is nd:\n    {body}", body=statements_at(frame.source, pair))
    assert after(frame, replace_statements(frame, pair, new, SAFE, message="Guard it")) == lines(
        """
        def f(x):
            if F is nd:
                a = 1  # one

                # two
                b = 2
            return x
        """
    )


@pytest.mark.parametrize(
    "text", ["def f(x):\n    a = 1; b = 2", "def f(x): return x", "def f(x):\n    b = 2; a = 1\n    c = 1"]
)
def test_lines_that_are_shared_stay(text: str) -> None:
    frame = framed(text)
    last = next(s for s in reversed(body(frame)) if s.lineno < 3)
    assert replace_statements(frame, last, statements("return None"), SAFE, message="Another") is None
    assert delete_statement(frame, last, SAFE, message="Gone") is None
    assert insert_statements(frame, statements("a = 1"), SAFE, message="More", after=last) is None


TAKEN = {
    "a scope": (
        "def f(x):\n    with s():\n        a = 1\n        b = 2\n    return x",
        "def f(x):\n    a = 1\n    b = 2\n    return x",
    ),
    "on one line": ("def f(x):\n    with s(): a = 1\n    return x", "def f(x):\n    a = 1\n    return x"),
    "comments": (
        "def f(x):\n    with s():  # why\n        # first\n        a = 1  # one\n"
        "        b = g(\n            1,  # arg\n        )  # two",
        "def f(x):\n    # why\n    # first\n    a = 1  # one\n    b = g(\n        1,  # arg\n    )  # two",
    ),
    "a string": ('def f(x):\n    with s():\n        a = """\n        x"""', 'def f(x):\n    a = """\n        x"""'),
    "at the top of a file": ("with s():\n    a = 1\n", "a = 1"),
    "blocks inside": (
        "def f(x):\n    with s():\n        if a:\n            b\n\n        else:\n            c",
        "def f(x):\n    if a:\n        b\n\n    else:\n        c",
    ),
}


@pytest.mark.parametrize(("before", "result"), TAKEN.values(), ids=TAKEN.keys())
def test_a_body_is_taken_out_of_its_block(before: str, result: str) -> None:
    frame = framed(before)
    scope = next(n for n in ast.walk(frame.source.tree) if isinstance(n, ast.With))
    assert after(frame, taken_out(frame, scope, SAFE, message="Take it out")) == result


def test_parts_of_a_body_change_on_the_way() -> None:
    frame = framed("def f(x):\n    with s():\n        a = g(x) + 1\n    return a")
    (scope, _) = body(frame)
    parts = {named(frame, "g(x)"): expression("-x"), named(frame, "1"): expression("a + b")}
    assert after(frame, taken_out(frame, scope, SAFE, message="Out", parts=parts)) == lines(
        """
        def f(x):
            a = -x + (a + b)
            return a
        """
    )


def test_lines_that_only_move_can_be_changed_by_other_fixes() -> None:
    frame = framed("def f(x):\n    with s():\n        a = g(x)\n        b = 1")
    fix = taken_out(frame, body(frame)[0], SAFE, message="Out")
    assert fix is not None
    start = frame.source.text.index("g(x)")
    other = Edit(Span(start, start + 4), "h")
    assert apply_edits(frame.source.text, (*fix.edits, other)) == "def f(x):\n    a = h\n    b = 1\n"


DELETED = {
    "a line": ("def f(x):\n    a = 1\n    return x", "def f(x):\n    return x"),
    "with a comment": ("def f(x):\n    a = 1  # why\n    return x", "def f(x):\n    # why\n    return x"),
    "over several lines": (
        "def f(x):\n    g(\n        1,  # one\n        2,\n    )  # two\n    return x",
        "def f(x):\n    # one\n    # two\n    return x",
    ),
    "alone": ("def f(x):\n    a = 1", "def f(x):\n    pass"),
    "first, above an empty line": ("def f(x):\n    a = 1\n\n    return x", "def f(x):\n    return x"),
    "first, above an empty line, with a comment": (
        "def f(x):\n    a = 1  # why\n\n    return x",
        "def f(x):\n    # why\n\n    return x",
    ),
    "alone with a comment": ("def f(x):\n    a = 1  # why", "def f(x):\n    pass  # why"),
}


@pytest.mark.parametrize(("before", "result"), DELETED.values(), ids=DELETED.keys())
def test_deleted(before: str, result: str) -> None:
    frame = framed(before)
    assert after(frame, delete_statement(frame, body(frame)[0], SAFE, message="Gone")) == result


BETWEEN = {
    "between empty lines": ("b = 1\n\n    p()\n\n    return x", "b = 1\n\n    return x"),
    "below an empty line": ("b = 1\n\n    p()\n    return x", "b = 1\n\n    return x"),
    "above an empty line": ("b = 1\n    p()\n\n    return x", "b = 1\n\n    return x"),
    "above two": ("b = 1\n\n    p()\n    \n\n    return x", "b = 1\n\n    return x"),
    "below a comment": ("b = 1\n\n    # now\n    p()\n\n    return x", "b = 1\n\n    # now\n\n    return x"),
    "at the end": ("b = 1\n\n    p()\n\n\nc = 2", "b = 1\n\n\n\nc = 2"),
}


@pytest.mark.parametrize(("before", "result"), BETWEEN.values(), ids=BETWEEN.keys())
def test_empty_lines_on_both_sides_of_a_deleted_statement_become_one(before: str, result: str) -> None:
    frame = framed(f"def f(x):\n    {before}")
    call = next(n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Expr))
    assert after(frame, delete_statement(frame, call, SAFE, message="Gone")) == f"def f(x):\n    {result}"


@pytest.mark.parametrize(
    ("before", "result"),
    [
        ("if a.b and c > 2:\n        # why\n        p()", "# why\n    return x"),
        ("if a:\n        if b:\n            p()", "return x"),
        ("if g():\n        p()", "if g():\n        pass\n    return x"),
        ("if a:\n        p()\n    else:\n        b = 1", "if a:\n        pass\n    else:\n        b = 1\n    return x"),
        ("for a in b:\n        p()", "for a in b:\n        pass\n    return x"),
    ],
    ids=["a test that reads", "two branches", "a call", "an alternative", "a loop"],
)
def test_a_branch_that_holds_nothing_else_goes_with_a_statement(before: str, result: str) -> None:
    frame = framed(f"def f(x):\n    {before}\n    return x")
    call = next(n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Expr))
    assert after(frame, delete_statement(frame, call, SAFE, message="Gone")) == f"def f(x):\n    {result}"


def test_an_elif_stays_with_pass() -> None:
    frame = framed("def f(x):\n    if a:\n        b = 1\n    elif c:\n        p()\n    return x")
    call = next(n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Expr))
    expected = "def f(x):\n    if a:\n        b = 1\n    elif c:\n        pass\n    return x"
    assert after(frame, delete_statement(frame, call, SAFE, message="Gone")) == expected


def test_deleted_at_the_end_of_a_file() -> None:
    source = SourceFile(Path("x.py"), "a = 1\nb = 2")
    frame = CodeContext(source, None, None, "F", "legacy")
    assert after(frame, delete_statement(frame, source.tree.body[1], SAFE, message="Gone")) == "a = 1"


@pytest.mark.parametrize("decorator", ["", "    @g\n"])
def test_inserted(decorator: str) -> None:
    frame = framed(f"def f(x):\n    a = 1  # one\n{decorator}    def g(x):\n        pass\n    return x")
    first, second, _ = body(frame)
    new = statements("if x:\n    b = {value}", value=2)
    inside = "    if x:\n        b = 2\n"
    rest = f"{decorator}    def g(x):\n        pass\n"
    below = after(frame, insert_statements(frame, new, SAFE, message="More", after=first))
    assert below == f"def f(x):\n    a = 1  # one\n{inside}{rest}    return x"
    above = after(frame, insert_statements(frame, new, SAFE, message="More", before=second))
    assert above == below


def test_statements_of_a_loop_become_those_of_a_function() -> None:
    frame = framed(
        "def f(x):\n    for i in x:  # all\n        # one\n"
        "        y = g(\n            i,  # step\n        )\n    return y"
    )
    loop = body(frame)[0]
    new = statements(
        """
        def step({names}):
            {body}
            return {result}

        y = run(step, {x})
        """,
        names=["i", "states"],
        body=held_by(frame.concrete(loop)),
        result="y",
        x="x",
    )
    assert after(frame, replace_statements(frame, loop, new, SAFE, message="Loop")) == lines(
        """
        def f(x):
            # all
            def step(i, states):
                # one
                y = g(
                    i,  # step
                )
                return y

            y = run(step, x)
            return y
        """
    )


def test_statements_keep_their_own_when_parts_change() -> None:
    frame = framed("def f(x):\n    a = g(x)  # one\n    # two\n    return a.b")
    new = statements_with(frame, body(frame), {named(frame, "g(x)"): expression("h")})
    assert after(frame, replace_statements(frame, body(frame), new, SAFE, message="Other")) == lines(
        """
        def f(x):
            a = h  # one
            # two
            return a.b
        """
    )


def test_joined_is_as_safe_as_its_parts_and_whole() -> None:
    one = Fix("one", (Edit(Span(0, 1), "a"),), SAFE)
    other = Fix("two", (Edit(Span(1, 2), "b"),), Applicability.UNSAFE)
    assert join_fixes("both", [one, other]) == Fix("both", (*one.edits, *other.edits), Applicability.UNSAFE)
    assert join_fixes("both", [one, None]) is None
    assert join_fixes("none", []) is None
