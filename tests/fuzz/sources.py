"""Gluon modules to try the analyzer and the fixers on: recorded constructs, changed at random."""

from __future__ import annotations

import ast
import random
from functools import cache

from hypothesis import strategies as st

from tests.constructs.sections import constructs

#: Numbers that code rarely has and that arithmetic on sizes must survive.
NUMBERS = (0, -1, 2, 1, 3, 7, 2**31, -(2**63), 10**19, 0.5, float("inf"), 1e-320)


@cache
def modules() -> tuple[str, ...]:
    """Return all constructs of the repository as modules."""
    return tuple(construct.module for construct in constructs())


@cache
def _expressions() -> tuple[str, ...]:
    """Return expressions of the constructs, each once."""
    found: dict[str, None] = {}
    for text in modules()[::9]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call | ast.Subscript | ast.BinOp | ast.Attribute | ast.Compare):
                found.setdefault(ast.unparse(node))
    return tuple(found)


@cache
def _statements() -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in modules()[::9]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name == "hybrid_forward":
                for statement in node.body:
                    found.setdefault(ast.unparse(statement))
    return tuple(found)


class _Changed(ast.NodeTransformer):
    """Replaces the expression or statement at a place, counted in the order of a walk."""

    def __init__(self, at: int, draw: random.Random) -> None:
        self.left = at
        self.draw = draw

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            self.left -= 1
            if self.left == 0:
                return self._expression(node)
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef):
            self.left -= 1
            if self.left == 0:
                return self._statement(node)
        changed: ast.AST = self.generic_visit(node)
        return changed

    def _expression(self, node: ast.expr) -> ast.AST:
        if isinstance(node, ast.Constant):
            return ast.Constant(self.draw.choice(NUMBERS))
        other = ast.parse(self.draw.choice(_expressions()), mode="eval").body
        kind = self.draw.randrange(6)
        if kind == 0:
            return ast.BinOp(node, self.draw.choice([ast.Add, ast.Mult, ast.FloorDiv, ast.Pow, ast.MatMult])(), other)
        if kind == 1:
            return ast.Subscript(node, other, ast.Load())
        if kind == 2:
            return ast.IfExp(other, node, ast.Constant(None))
        if kind == 3:
            return ast.Call(node, [other, ast.Starred(other, ast.Load())], [ast.keyword(None, other)])
        return other

    def _statement(self, node: ast.stmt) -> ast.AST | list[ast.AST]:
        if isinstance(node, ast.FunctionDef):
            changed: ast.AST = self.generic_visit(node)
            return changed
        other = ast.parse(self.draw.choice(_statements())).body[0]
        name = ast.Name(self.draw.choice(["x", "y", "self", "i"]), ast.Load())
        choices: list[ast.AST | list[ast.AST]] = [
            [node, other],
            ast.If(name, [node], [other]),
            ast.For(ast.Name("i", ast.Store()), name, [node, other], []),
            ast.While(name, [node], []),
            ast.Try([node], [ast.ExceptHandler(None, None, [other])], [], []),
            other,
        ]
        return self.draw.choice(choices)


def changed(text: str, seed: int, times: int) -> str:
    """Return a module with some changes; the text itself where a change is no Python."""
    draw = random.Random(seed)
    for _ in range(times):
        tree = ast.parse(text)
        size = sum(isinstance(node, ast.expr | ast.stmt) for node in ast.walk(tree))
        try:
            _Changed(draw.randrange(1, size + 1), draw).visit(tree)
            new = ast.unparse(ast.fix_missing_locations(tree))
            compile(new, "changed", "exec")
        except (SyntaxError, ValueError, RecursionError):
            continue
        text = new
    return text


def sources(most: int = 4) -> st.SearchStrategy[str]:
    """Return modules with up to `most` changes."""
    return st.builds(changed, st.sampled_from(modules()), st.integers(0, 2**32 - 1), st.integers(0, most))
