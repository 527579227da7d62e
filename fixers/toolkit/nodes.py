"""Nodes without templates, because the number of parts or the operator varies."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Sequence
from functools import cache

from hybridlint.fixers.toolkit.parentheses import fit_parentheses
from hybridlint.fixers.toolkit.templates import expression, statement
from hybridlint.text import cst


def assignment(names: Sequence[str], value: cst.BaseExpression) -> cst.BaseSmallStatement:
    """Return ``a = b = value`` for several names."""
    first = statement("{name} = {value}", name=names[0], value=value)
    assert isinstance(first, cst.Assign)
    return first.with_changes(targets=[cst.AssignTarget(cst.Name(name)) for name in names])


def binary(left: cst.BaseExpression, operator: ast.operator, right: cst.BaseExpression) -> cst.BaseExpression:
    """Return ``left operator right`` for an ast operator."""
    bare = cst.BinaryOperation(cst.Name("left"), _operators()[type(operator)](), cst.Name("right"))
    return bare.with_changes(left=fit_parentheses(left, bare, "left"), right=fit_parentheses(right, bare, "right"))


def in_row(parts: Sequence[cst.BaseExpression | str]) -> cst.BaseExpression:
    """Return ``a, b`` without parentheses for several parts; a single part as it is."""
    if len(parts) == 1:
        return expression("{part}", part=parts[0])
    return expression("({parts},)", parts=parts).with_changes(lpar=[], rpar=[])


def operator_node(left: cst.BaseExpression, symbol: str, right: cst.BaseExpression) -> cst.BaseExpression:
    """Return ``left symbol right`` for an operator given by its spelling."""
    return expression(f"{{left}} {symbol} {{right}}", left=left, right=right)


def call(function: cst.BaseExpression, arguments: Iterable[cst.Arg]) -> cst.Call:
    """Return a call with the given arguments, separated by commas."""
    bare = cst.Call(cst.Name("function"))
    plain = [a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in arguments]
    return bare.with_changes(func=fit_parentheses(function, bare, "func"), args=plain)


def subscript(value: cst.BaseExpression, keys: Iterable[cst.BaseSlice]) -> cst.Subscript:
    """Return ``value[keys]``, with commas between the keys."""
    bare = cst.Subscript(cst.Name("value"), [cst.SubscriptElement(key) for key in keys])
    return bare.with_changes(value=fit_parentheses(value, bare, "value"))


def whole_axis() -> cst.Slice:
    """Return the slice ``:``."""
    return cst.Slice(lower=None, upper=None)


def between(begin: int | None, end: int | None) -> cst.Slice:
    """Return the slice ``begin:end``, where None leaves a bound open."""
    lower, upper = (None if bound is None else expression("{bound}", bound=bound) for bound in (begin, end))
    return cst.Slice(lower=lower, upper=upper)


def string(text: str) -> cst.SimpleString:
    """Return a text as a string literal."""
    return cst.SimpleString(json.dumps(text, ensure_ascii=False))


@cache
def _operators() -> dict[type[ast.operator], type[cst.BaseBinaryOp]]:
    return {
        ast.Add: cst.Add,
        ast.Sub: cst.Subtract,
        ast.Mult: cst.Multiply,
        ast.MatMult: cst.MatrixMultiply,
        ast.Div: cst.Divide,
        ast.FloorDiv: cst.FloorDivide,
        ast.Mod: cst.Modulo,
        ast.Pow: cst.Power,
        ast.BitAnd: cst.BitAnd,
        ast.BitOr: cst.BitOr,
        ast.BitXor: cst.BitXor,
        ast.LShift: cst.LeftShift,
        ast.RShift: cst.RightShift,
    }
