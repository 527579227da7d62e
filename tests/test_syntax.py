"""Walking trees: everything that `ast.walk` finds, operators and contexts aside, in its order."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.text import syntax

_MARKS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
TEXTS = [Path(ast.__file__), Path(pytest.__file__), Path(__file__)]
EVERYTHING = """
from __future__ import annotations
import a.b as c
@decorated
async def f(p, /, q: int = 1, *rest, k=2, **kw) -> int:
    global g
    async with a as b, c: yield (x := 1)
    async for i in z: await i
    else: del i[1:2:3], i.j
    try: raise E from e
    except E as error: return lambda: {**d, 1: 2}
    finally: assert 1 < 2 <= 3, f"{x!r:>{y}}"
class C(B, metaclass=M):
    a: int = -1
    b = [i for i in j if k], {i for i in j}, {i: j for i in k}, (i for i in j), a if b else c, not a and b
    while a: a += b @ c
match v:
    case {"k": [1, *_], **rest} | C(x, y=None) as z if z: pass
"""


@pytest.mark.parametrize("text", [EVERYTHING, *(path.read_text(encoding="utf-8") for path in TEXTS)])
def test_walk(text: str) -> None:
    tree = ast.parse(text)
    every = [node for node in ast.walk(tree) if not isinstance(node, _MARKS)]
    assert list(syntax.walk(tree)) == every
    assert list(syntax.branches(tree)) == [n for n in every if not isinstance(n, ast.Name | ast.Constant)]


@pytest.mark.parametrize("kind", [ast.Attribute, ast.Call, ast.FunctionDef, ast.If, ast.Name])
def test_each_gives_the_nodes_of_one_kind_in_the_order_of_walks(kind: type[ast.AST]) -> None:
    tree = ast.parse(EVERYTHING)
    for node in ast.walk(tree):
        if not isinstance(node, _MARKS):
            assert list(syntax.each(node, kind)) == [n for n in syntax.walk(node) if isinstance(n, kind)]


def test_own_leaves_out_inner_functions() -> None:
    (function,) = ast.parse("def f():\n    g(1)\n    def h():\n        return 2\n    return lambda: i()\n").body
    assert [type(node).__name__ for node in syntax.own(function)] == [
        "FunctionDef",
        "arguments",
        "Expr",
        "Return",
        "Call",
    ]


def test_an_expression_from_its_text_says_nothing_of_its_spelling(recwarn: pytest.WarningsRecorder) -> None:
    assert ast.unparse(syntax.expression("1if a else 2")) == "1 if a else 2"
    assert not recwarn.list


@pytest.mark.parametrize("text", [EVERYTHING, *(path.read_text(encoding="utf-8") for path in TEXTS)])
def test_children(text: str) -> None:
    for node in syntax.walk(ast.parse(text)):
        assert syntax.children(node) == [n for n in ast.iter_child_nodes(node) if not isinstance(n, _MARKS)]
