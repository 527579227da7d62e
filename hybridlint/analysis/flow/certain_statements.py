"""Statements that each call of a function runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache


def runs_always(function: ast.FunctionDef | ast.Lambda | None, statement: ast.AST) -> bool:
    """Return whether each call of a function that reaches its end runs a statement.

    Every loop is assumed to run its body.
    """
    return isinstance(function, ast.FunctionDef) and statement in _certain(function)


@lru_cache(maxsize=64)
def _certain(function: ast.FunctionDef) -> frozenset[ast.stmt]:
    return frozenset(_unconditional(function.body))


def _unconditional(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.For | ast.With | ast.Try):
            yield from _unconditional(statement.body)
