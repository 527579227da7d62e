"""Divisors that a test keeps from being 0: in a graph both sides are computed, and so are their gradients.

``F.where`` multiplies the gradient of the side that it does not choose by 0. Where that side divides by 0, the product
is NaN.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.options import COMPARISONS
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.syntax import walk


def nonzero_divisors(
    frame: CodeContext, test: ast.expr, chosen: ast.expr, other: ast.expr
) -> Mapping[ast.expr, cst.BaseExpression]:
    """Return the divisors that a test protects from being 0, each with a divisor that is never 0.

    For ``n > 0`` and the sides ``x / n`` and ``x``, this is `n` with ``n + (n == 0)``: 1 where `n` is 0.
    """
    match test:
        case ast.Compare(left=left, ops=[symbol], comparators=[ast.Constant(value=int() | float() as limit)]):
            answer = COMPARISONS.get(type(symbol))
        case _:
            return {}
    if answer is None:
        return {}
    left_out = other if answer(0, limit) else chosen
    same = as_method(frame, left)
    nodes = (node for node in walk(left_out) if isinstance(node, ast.expr) and as_method(frame, node) == same)
    found = [node for node in nodes if divides(frame, parent_of(frame, node, left_out), node)]
    return {node: expression("({n} + ({n} == 0))", n=frame.concrete(node)) for node in found}


def as_method(frame: CodeContext, node: ast.expr) -> str:
    """Return the text of an expression, with ``F.sum(x)`` as ``x.sum()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[data], keywords=[]):
            if name == frame.functions:
                return f"{ast.unparse(data)}.{method}()"
    return ast.unparse(node)


def divides(frame: CodeContext, parent: ast.AST | None, node: ast.expr) -> bool:
    """Return whether a node is the divisor in the operator or the call around it."""
    match parent:
        case ast.BinOp(op=ast.Div(), right=right):
            return right is node
        case ast.Call(func=function, args=[_, right]) if right is node:
            path = dotted_parts(function)
            return path in {(frame.functions, "broadcast_div"), (frame.functions, "elemwise_div")}
    return False
