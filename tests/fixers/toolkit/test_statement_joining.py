"""Ragged statements: joined to one line where a fix put brackets around code of several lines, and only there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.fixers.toolkit.statement_joining import join_ragged
from hybridlint.text.edits import apply_edits
from hybridlint.text.source import SourceFile

JOINED = {
    "brackets around an operation of two lines": (
        "a = a - f(b,\n          c)",
        "a = F.sub(a, f(b,\n          c))",
        "a = F.sub(a, f(b, c))",
    ),
    "a backslash that is no longer needed": ("a = b + \\\n    c", "a = F.add(b, \\\n    c)", "a = F.add(b, c)"),
    "a trailing comma": ("a = b + f(\n    c,\n)", "a = F.add(b, f(\n    c,\n))", "a = F.add(b, f(c))"),
    "the comma of a tuple of one": ("a = b + (\n    c,\n)", "a = F.add(b, (\n    c,\n))", "a = F.add(b, (c,))"),
    "a chain": ("a = b + c.d(\n    e\n).f()", "a = F.add(b, c.d(\n    e\n).f())", "a = F.add(b, c.d(e).f())"),
    "a line behind a backslash that did not move": (
        "assert a.b, \\\n    c",
        "if F is nd:\n    assert a.b, \\\n    c",
        "if F is nd:\n    assert a.b, c",
    ),
    "braces and spaces of a formatted text": (
        "a = a - f(b,\n  f'{{{c}}} {d}')",
        "a = F.sub(a, f(b,\n  f'{{{c}}} {d}'))",
        "a = F.sub(a, f(b, f'{{{c}}} {d}'))",
    ),
    "spaces within a line": ("a = b*c +\\\n  d", "a = F.add(b*c,\n  d)", "a = F.add(b*c, d)"),
}
LEFT = {
    "nothing new": ("a = F.sub(a, f(b,\n   c))", "a = F.sub(a, f(b,\n   c))"),
    "a comment": ("a = a - f(b,  # why\n  c)", "a = F.sub(a, f(b,  # why\n  c))"),
    "a text of two lines": ('a = a - f("""b\n""")', 'a = F.sub(a, f("""b\n"""))'),
    "a formatted text of two lines": ('a = a - f(f"""{b}\n{c}""")', 'a = F.sub(a, f(f"""{b}\n{c}"""))'),
    "lines below the bracket": ("a = f(b[0],\n      c[0])", "a = f(g(b),\n      g(c))"),
    "an item a line": ("a = f(\n    b[0],\n    c\n)", "a = f(\n    g(b),\n    c\n)"),
    "a backslash in its place": ("a = b + \\\n    c", "a = d + \\\n    c"),
    "a block": ("if a:\n    b = c", "if f(a):\n    b = c"),
}


def text_of(statement: str) -> str:
    indented = "".join(f"    {line}\n" for line in statement.splitlines())
    return f"def f(a, b, c, d, e):\n{indented}    return a\n"


def after(before: str, text: str) -> str:
    return apply_edits(text, join_ragged(SourceFile(Path("x.py"), before), SourceFile(Path("x.py"), text)))


@pytest.mark.parametrize(("before", "fixed", "joined"), JOINED.values(), ids=JOINED.keys())
def test_is_joined(before: str, fixed: str, joined: str) -> None:
    found = after(text_of(before), text_of(fixed))
    assert found == text_of(joined)
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(text_of(fixed)))


@pytest.mark.parametrize(("before", "fixed"), LEFT.values(), ids=LEFT.keys())
def test_is_left(before: str, fixed: str) -> None:
    assert after(text_of(before), text_of(fixed)) == text_of(fixed)
