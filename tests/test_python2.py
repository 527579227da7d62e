"""Files in the syntax of Python 2: what they say in Python 3, with every position where it was."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.text.python2 import parse
from hybridlint.text.source import SourceError, SourceFile


def said(text: str) -> str:
    tree = parse(text, "old.py")
    assert tree is not None
    return ast.unparse(tree)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print x, y", "print(x, y)"),
        ("print 'a' % b,", "print('a' % b)"),
        ("print -1 if x else `y`", "print - 1 if x else repr(y)"),
        ("if x: print 'a'; print b", "if x:\n    print('a')\n    print(b)"),
        ("print('a')\nprint", "print('a')\nprint"),
        ("print >>f, x\nprint z", "(print >> f, x)\nprint(z)"),
        ("print x, \\\n    y", "print(x, y)"),
        ("print (\n  a), b\nprint a", "(print(a), b)\nprint(a)"),
        ("try:\n    pass\nexcept (A, B), e:\n    pass", "try:\n    pass\nexcept (A, B) as e:\n    pass"),
        ("raise E, 'x %s' % y", "raise E('x %s' % y)"),
        ("raise E(a, b)\nprint x", "raise E(a, b)\nprint(x)"),
        ("exec 'a' in b", "exec('a', b)"),
        ("a <> b", "a != b"),
        ("a = 0755 + 0L + 10L + 0xFFl + 0", "a = 493 + 0 + 10 + 255 + 0"),
        ("a = ur'x', u'y'", "a = ('x', u'y')"),
        ("f = lambda (a, b), c: a", "f = lambda _11, c: a"),
        ("def f(a, (b, c), d=(1, 2)): pass", "def f(a, _9, d=(1, 2)):\n    pass"),
        ("f(async=True)\nprint x", "f(async_=True)\nprint(x)"),
        ("for i in xrange(3): print zip(a, b)", "for i in range(3):\n    print(list(zip(a, b)))"),
        ("if x:\n\tprint 1\n        y = 2", "if x:\n    print(1)\n    y = 2"),
        ("a = '''print x\n\tprint y'''\nprint a", "a = 'print x\\n\\tprint y'\nprint(a)"),
        ("# print `x\nprint '`' # <>", "print('`')"),
    ],
)
def test_statements_of_python_2(old: str, new: str) -> None:
    assert said(old) == new


@pytest.mark.parametrize("text", ["def f(:\n    pass", "print x y", "class A\n    print x", "print (a", "`a"])
def test_what_is_neither_is_not_read(text: str) -> None:
    assert parse(text, "old.py") is None


def test_every_node_stands_where_it_stood() -> None:
    text = (
        "def f(x):\n\tprint `größe`, x.shape; return x <> `y`, 07, x.name\n        print zip(x.one, y.two), x.three\n"
    )
    source = SourceFile(Path("old.py"), text)
    assert source.read_leniently() is not None
    nodes = [n for n in ast.walk(source.tree) if isinstance(n, ast.Attribute | ast.Compare | ast.Name)]
    assert [source.code(n) for n in nodes if isinstance(n, ast.Compare)] == ["x <> `y`"]
    attributes = {source.code(n) for n in nodes if isinstance(n, ast.Attribute)}
    assert attributes == {"x.shape", "x.name", "x.one", "y.two", "x.three"}
    written = {n.id: source.code(n) for n in nodes if isinstance(n, ast.Name) and n.id not in {"repr", "list"}}
    assert all(name == code for name, code in written.items())


def test_python_3_is_read_as_it_is() -> None:
    source = SourceFile(Path("new.py"), "print(x)\n")
    assert source.read_leniently() is None


def test_what_nothing_reads_is_told_as_python_3_tells_it() -> None:
    source = SourceFile(Path("broken.py"), "def f(:\n")
    with pytest.raises(SourceError, match="invalid syntax"):
        source.read_leniently()
