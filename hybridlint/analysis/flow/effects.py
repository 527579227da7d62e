"""Pure functions: those that compute a result from their arguments and have no other effect."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import Function, Value
from hybridlint.text.syntax import walk

#: Syntax that may have an effect, or that may raise for Symbols.
_DOING = (
    *(ast.Call, ast.Attribute, ast.Global, ast.Nonlocal, ast.Raise, ast.Assert, ast.Yield, ast.YieldFrom),
    *(ast.AugAssign, ast.Delete, ast.If, ast.IfExp, ast.While, ast.For, ast.Try, ast.With, ast.comprehension),
)


#: Builtins that a check of arguments asks.
_ASKING = words("len isinstance type any all zip enumerate range tuple list str repr set sorted")


def may_have_effect(value: Value) -> bool:
    """Return whether a call of a value may have an effect besides its result; True for unknown values."""
    if not isinstance(value, Function):
        return True
    body = value.node.body if isinstance(value.node.body, list) else [value.node.body]
    if isinstance(value.node, ast.FunctionDef) and all(map(_only_checks, value.node.body)):
        return False
    return any(isinstance(part, _DOING) or _stores_item(part) for statement in body for part in walk(statement))


def _only_checks(statement: ast.stmt) -> bool:
    """Return whether a statement only complains about what a function is given."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Raise() | ast.Return(value=None):
            return True
        case ast.Assert(test=test):
            return _only_asks(test)
        case ast.If(test=test, body=body, orelse=orelse):
            return _only_asks(test) and all(map(_only_checks, [*body, *orelse]))
        case _:
            return False


def _only_asks(test: ast.expr) -> bool:
    called = [node.func for node in walk(test) if isinstance(node, ast.Call)]
    return all(isinstance(function, ast.Name) and function.id in _ASKING for function in called)


def _stores_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
