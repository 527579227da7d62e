"""Fixers of conditions on tensors: ``not``, ``and``, ``or`` and chains of comparisons as operators."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Branch, CodeContext
from hybridlint.fixers.arithmetic.extremes import larger
from hybridlint.fixers.control.branches import is_tested
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


def logical(event: Branch) -> Fix | None:
    """Write ``not x`` in a condition as ``F.logical_not(x)``, and ``x and y`` as ``F.where(x, y, x)``."""
    functions, node = event.frame.functions, event.node
    if functions is None or not is_tested(event) or event.frame.mode != "legacy":
        return None
    match node:
        case ast.Call():
            return larger(event, functions, node)
        case ast.Compare():
            return _chained(event, functions, node)
        case ast.UnaryOp(op=ast.Not()):
            return _negated(event, functions, node)
        case ast.BoolOp(values=[first, second]):
            return _picked(event, functions, node, first, second)
    return None


def _negated(event: Branch, functions: str, node: ast.UnaryOp) -> Fix | None:
    parent = parent_of(event.frame, node)
    if not isinstance(parent, ast.If | ast.IfExp) or parent.test is not node or _asks_for_none(node.operand):
        return None
    new = expression("{F}.logical_not({operand})", F=functions, operand=event.frame.concrete(node.operand))
    return rewrite(event.frame, node, new, Applicability.SAFE)


def _asks_for_none(node: ast.expr) -> bool:
    """Whether an expression compares with None, which gives a bool or raises for every other operand."""
    if not isinstance(node, ast.Compare):
        return False
    return any(isinstance(side, ast.Constant) and side.value is None for side in (node.left, *node.comparators))


def _picked(event: Branch, functions: str, node: ast.BoolOp, first: ast.expr, second: ast.expr) -> Fix | None:
    """Write ``x and y`` as ``F.where(x, y, x)``, and ``x or y`` as ``F.where(x, x, y)``.

    None if evaluating an operand twice may change the result.
    """
    if not (_is_read(first) and _is_read(second)) or _in_test(event.frame, node):
        return None
    one, other = event.frame.concrete(first), event.frame.concrete(second)
    picked = (other, one) if isinstance(node.op, ast.And) else (one, other)
    new = expression("{F}.where({one}, {picked})", F=functions, one=one, picked=picked)
    return rewrite(event.frame, node, new, Applicability.UNSAFE)


def _is_read(node: ast.expr) -> bool:
    """Whether an expression is a lookup of a name, attribute or item, which gives the same value twice."""
    match node:
        case ast.Name() | ast.Attribute(value=ast.Name()):
            return True
        case ast.Subscript(value=ast.Name(), slice=ast.Constant()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="get"), args=[ast.Constant()], keywords=[]):
            return True
    return False


def _chained(event: Branch, functions: str, node: ast.Compare) -> Fix | None:
    """Write ``0 < x < 5`` as the conjunction of ``0 < x`` and ``x < 5``."""
    if len(node.ops) != 2 or not isinstance(node.comparators[0], ast.Name):
        return None
    match event.frame.concrete(node):
        case cst.Comparison(comparisons=[first, second]) as whole:
            low = whole.with_changes(comparisons=[first], lpar=[], rpar=[])
            spaced = second.operator.with_changes(whitespace_before=cst.SimpleWhitespace(" "))
            second = second.with_changes(operator=spaced)
            high = whole.with_changes(left=first.comparator, comparisons=[second], lpar=[], rpar=[])
        case _:
            return None
    new = expression("{F}.broadcast_logical_and({low}, {high})", F=functions, low=low, high=high)
    return rewrite(event.frame, node, new, Applicability.SAFE)


def _in_test(frame: CodeContext, node: ast.AST) -> bool:
    parent = parent_of(frame, node)
    return isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert | ast.BoolOp | ast.UnaryOp)
