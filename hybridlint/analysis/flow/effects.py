"""Pure functions: those that compute a result from their arguments and have no other effect."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.values import Function, Value
from hybridlint.text.syntax import walk

#: Syntax that may have an effect, or that may raise for Symbols.
_DOING = (
    *(ast.Call, ast.Attribute, ast.Global, ast.Nonlocal, ast.Raise, ast.Assert, ast.Yield, ast.YieldFrom),
    *(ast.AugAssign, ast.Delete, ast.If, ast.IfExp, ast.While, ast.For, ast.Try, ast.With, ast.comprehension),
)


def may_have_effect(value: Value) -> bool:
    """Return whether a call of a value may have an effect besides its result; True for unknown values."""
    if not isinstance(value, Function):
        return True
    body = value.node.body if isinstance(value.node.body, list) else [value.node.body]
    return any(isinstance(part, _DOING) or _stores_item(part) for statement in body for part in walk(statement))


def _stores_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
