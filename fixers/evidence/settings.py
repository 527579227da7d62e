"""Settings: numbers that an expression computes from constants and from the arguments of the constructor."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Unknown
from hybridlint.fixers.toolkit.names import parent_of

#: Python's functions that compute a number of numbers.
NUMBER_FUNCTIONS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "round"})


def is_setting(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an expression is computed from constants and the arguments of the constructor alone."""
    held = frame.seen.value(node)
    return isinstance(held, StaticValue) or (isinstance(held, Unknown) and held.loose and held.made)


def may_be_setting(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an expression may be computed so: other classes may store an attribute of the same name."""
    held = frame.seen.value(node)
    return isinstance(held, StaticValue) or (isinstance(held, Unknown) and held.loose)


def with_settings(frame: CodeContext, node: ast.expr) -> ast.expr:
    """Return an expression with the arithmetic and the comparison around it that have only settings beside it."""
    outer = node
    while isinstance(parent := parent_of(frame, outer), ast.BinOp | ast.Compare):
        sides = [parent.left, parent.right] if isinstance(parent, ast.BinOp) else [parent.left, *parent.comparators]
        if not all(is_setting(frame, side) for side in sides if side is not outer):
            break
        outer = parent
    return outer
