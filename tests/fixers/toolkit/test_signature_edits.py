"""Heads of functions with a parameter more, and attributes that `__init__` makes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.signature_edits import add_attribute, head_of, method_added, rewrite_head, with_parameter
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, apply_edits
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import lines


def source_of(text: str) -> SourceFile:
    return SourceFile(Path("x.py"), f"{lines(text)}\n")


def widened(text: str, at: int | None = None) -> str:
    """Return a file with a parameter `c` more in its first function."""
    source = source_of(text)
    function = next(n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef))
    new = with_parameter(head_of(source, function), "c", at=at)
    fix = rewrite_head(source, function, new, Applicability.SAFE, message="More")
    assert fix is not None
    return apply_edits(source.text, fix.edits).removesuffix("\n")


LAST = {
    "plain": ("def f(self, x):\n    pass", "def f(self, x, c):\n    pass"),
    "beside defaults": ("def f(self, x, y=None): pass", "def f(self, x, y=None, c=None): pass"),
    "the only one": ("def f():\n    pass", "def f(c):\n    pass"),
    "annotated": ("def f(self, x: A) -> B:  # why\n    pass", "def f(self, x: A, c) -> B:  # why\n    pass"),
    "decorated, in a class": (
        "class A:\n    @g(1)\n    def f(self, x):\n        pass",
        "class A:\n    @g(1)\n    def f(self, x, c):\n        pass",
    ),
    "one a line": (
        "def f(\n    self,\n    x,  # data\n):\n    pass",
        "def f(\n    self,\n    x,  # data\n    c,\n):\n    pass",
    ),
    "one a line without a comma": (
        "def f(\n    self,  # me\n    x  # data\n):\n    pass",
        "def f(\n    self,  # me\n    x,  # data\n    c\n):\n    pass",
    ),
    "on the second line": (
        "class A:\n    def f(self, x,\n          y):\n        pass",
        "class A:\n    def f(self, x,\n          y, c):\n        pass",
    ),
}


@pytest.mark.parametrize(("before", "after"), LAST.values(), ids=LAST.keys())
def test_a_parameter_at_the_end(before: str, after: str) -> None:
    assert widened(before) == after


BEFORE = {
    "plain": ("def f(self, x, *y): pass", "def f(self, c, x, *y): pass"),
    "the only one": ("def f(self): pass", "def f(self, c): pass"),
    "one a line": (
        "def f(\n    self,  # me\n    x,\n):\n    pass",
        "def f(\n    self,  # me\n    c,\n    x,\n):\n    pass",
    ),
}


@pytest.mark.parametrize(("before", "after"), BEFORE.values(), ids=BEFORE.keys())
def test_a_parameter_behind_the_first(before: str, after: str) -> None:
    assert widened(before, at=1) == after


def test_another_name() -> None:
    source = source_of("def forward(self, forward):\n    return forward")
    function = source.tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    new = head_of(source, function).with_changes(name=cst.Name("other"))
    fix = rewrite_head(source, function, new, Applicability.SAFE, message="Other")
    assert fix is not None
    assert apply_edits(source.text, fix.edits) == "def other(self, forward):\n    return forward\n"


STORED = {
    "at the end of __init__": (
        "class A:\n    def __init__(this):\n        a = 1  # one\n\n    def f(self):\n        pass",
        "class A:\n    def __init__(this):\n        a = 1  # one\n        this.c = this.g([1])\n"
        "\n    def f(self):\n        pass",
    ),
    "in the scope": (
        "class A:\n    def __init__(self):\n        with s:\n            a = 1\n\n    def f(self):\n        pass",
        "class A:\n    def __init__(self):\n        with s:\n            a = 1\n            self.c = self.g([1])\n"
        "\n    def f(self):\n        pass",
    ),
    "in an __init__ of its own": (
        "class A:\n    def f(self):\n        pass",
        "class A:\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n"
        "        with self.name_scope():\n            self.c = self.g([1])\n\n    def f(self):\n        pass",
    ),
}


@pytest.mark.parametrize(("before", "after"), STORED.values(), ids=STORED.keys())
def test_an_attribute_more(before: str, after: str) -> None:
    source = source_of(before)
    owner = source.tree.body[0]
    assert isinstance(owner, ast.ClassDef)
    method = next(n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "f")
    frame = CodeContext(source, None, None, "F", "legacy")
    fix = add_attribute(frame, owner, "c", "{self}.g({x})", before=method, message="More", x=expression("[1]"))
    assert fix is not None
    assert apply_edits(source.text, fix.edits) == f"{after}\n"


@pytest.mark.parametrize("end", ["return", "a = 1; b = 2"])
def test_no_place_for_an_attribute(end: str) -> None:
    source = source_of(f"class A:\n    def __init__(self):\n        {end}")
    owner = source.tree.body[0]
    assert isinstance(owner, ast.ClassDef)
    method = owner.body[0]
    assert isinstance(method, ast.FunctionDef)
    frame = CodeContext(source, None, None, "F", "legacy")
    assert add_attribute(frame, owner, "c", "1", before=method, message="More") is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("class A:\n    def __init__(self):\n        pass  # none\n\n    a = 1", 3),
        ("class A:\n    a = 1", 2),
    ],
    ids=["behind __init__", "at the end"],
)
def test_a_method_is_added(text: str, after: int) -> None:
    source = source_of(text)
    (owner,) = source.tree.body
    assert isinstance(owner, ast.ClassDef)
    (method,) = statements("def g(self):\n    return 1")
    assert isinstance(method, cst.FunctionDef)
    fix = method_added(CodeContext(source, None, None, "F", "legacy"), owner, method)
    assert fix is not None
    rows = text.split("\n")
    expected = [*rows[:after], "", "    def g(self):", "        return 1", *rows[after:], ""]
    assert apply_edits(source.text, fix.edits) == "\n".join(expected)


def test_a_method_is_added_without_an_empty_line_where_the_class_has_none() -> None:
    text = "class A:\n    def __init__(self):\n        pass\n    def f(self):\n        pass\n"
    source = source_of(text)
    (owner,) = source.tree.body
    assert isinstance(owner, ast.ClassDef)
    (method,) = statements("def g(self):\n    return 1")
    assert isinstance(method, cst.FunctionDef)
    fix = method_added(CodeContext(source, None, None, "F", "legacy"), owner, method)
    assert fix is not None
    added = text.replace("        pass\n    def f", "        pass\n    def g(self):\n        return 1\n    def f")
    assert apply_edits(source.text, fix.edits).rstrip("\n") == added.rstrip("\n")
