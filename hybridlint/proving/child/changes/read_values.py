"""Decisions by the numbers in arrays. Only eager calls make them: no graph contains them.

Calls that agree only show that such a decision did not matter for their inputs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.proving.child.changes.change import own_classes
from hybridlint.proving.child.changes.settings import ChangedSettings
from hybridlint.proving.child.changes.stores import parse_stores
from hybridlint.proving.child.runs.variants import BlockVersion

#: Methods that give the numbers in an array; a Symbol has none of them.
_READING = ("asscalar", "asnumpy", "item")
#: Statements that leave what a pass computes as it is.
_IDLE = (ast.Expr, ast.Raise, ast.Pass, ast.Assert)


def decisions(side: BlockVersion, block: Any) -> list[str]:
    """Return the conditions by which a pass of a block and its parts goes on, in the user's words."""
    known = ChangedSettings(parse_stores(side.text))
    found: dict[str, None] = {}
    for cls in own_classes(side.world, block):
        for function in known.forward(cls.__name__):
            found.update(dict.fromkeys(f"answers to `{ast.unparse(test)}`" for test in _tests(function)))
    return list(found)


def _tests(function: ast.AST) -> Iterator[ast.expr]:
    nodes = list(ast.walk(function))
    names = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _reads(node.value, ())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    deciding = (node for node in nodes if isinstance(node, (ast.IfExp, ast.If, ast.While)))
    for node in deciding:
        if not _is_idle(node) and _reads(node.test, names):
            yield node.test


def _is_idle(node: ast.IfExp | ast.If | ast.While) -> bool:
    """Whether neither side of a condition changes what a pass computes: it prints, checks or raises."""
    if isinstance(node, ast.IfExp):
        return False
    return all(isinstance(statement, _IDLE) for statement in _flat([*node.body, *node.orelse]))


def _flat(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        if isinstance(statement, ast.If):
            yield from _flat([*statement.body, *statement.orelse])
        else:
            yield statement


def _reads(node: ast.expr, names: Sequence[str] | set[str]) -> bool:
    """Whether an expression has the numbers in an array, itself or by a name that holds them."""
    parts = list(ast.walk(node))
    reads = any(isinstance(part, ast.Attribute) and part.attr in _READING for part in parts)
    return reads or any(isinstance(part, ast.Name) and part.id in names for part in parts)
