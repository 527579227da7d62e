"""Computations that only the eager run makes: the trace leaves the tensor as it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis.model.values import Tensor
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

Side: TypeAlias = "ast.expr | Sequence[ast.stmt] | None"
#: Arithmetic operators that a sum of products is built from.
_ARITHMETIC: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}


def is_left_out(act: Activation, eager: Side, traced: Side) -> bool:
    """Return whether the trace keeps a tensor as it is, where eager runs compute other values from it."""
    found = _pair(eager, traced)
    if found is None:
        return False
    value, name = found
    held = act.lookup(name)
    return isinstance(held, Tensor) and not held.optional and _changes(value, name)


def arithmetic(node: ast.AST) -> ast.expr | None:
    """Return the expression ``a + b`` for a call such as ``F.broadcast_add(a, b)``; None for any other node."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[left, right], keywords=[]):
            op = _ARITHMETIC.get(lookup.symbol_of(name) or "")
            return None if op is None else ast.BinOp(left, op(), right)
        case _:
            return None


def _pair(eager: Side, traced: Side) -> tuple[ast.expr, str] | None:
    """Return what the eager side returns or assigns, and the name that the trace returns or keeps in its place."""
    match eager, traced:
        case [*_, ast.Return(value=ast.expr() as value)], [ast.Return(value=ast.Name(id=name))]:
            return value, name
        case [*before, ast.Assign(targets=[ast.Name(id=name)], value=value)], None | [] | [ast.Pass()]:
            return (value, name) if all(_prepares(part, name) for part in before) else None
        case _:
            return None


def _prepares(node: object, name: str) -> bool:
    """Return whether a statement only binds another name than the one that is computed after it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound != name
        case _:
            return False


def _changes(node: ast.expr, name: str) -> bool:
    """Return whether an expression computes other values from those of a name: by arithmetic, or by a known function.

    Copies, casts, moves to a device and new shapes keep the values.
    """
    if not any(isinstance(part, ast.Name) and part.id == name for part in walk(node)):
        return False
    if isinstance(node, ast.BinOp) or arithmetic(node) is not None:
        return True
    match node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=called), args=args):
            operator = lookup.of_tensors(called)
            distinct = operator is not None and operator.facts.distinct
            return distinct or any(_changes(part, name) for part in (receiver, *args[:1]))
        case _:
            return False
