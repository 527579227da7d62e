"""Branches of which one side lets gradients pass and the other none: a constant, or a copy through numpy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.flow.guessed_sizes import serves
from hybridlint.analysis.flow.one_run_code import Side, arithmetic, pairs
from hybridlint.analysis.model.values import CapturedArray, Tensor
from hybridlint.runtime.facts import lookup

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def is_cut_off(act: Activation, place: ast.AST, eager: Side, traced: Side) -> bool:
    """Return whether the result, or a name after a branch, depends on the data in only one run.

    Then values differ, or at least gradients do.
    """
    flow = act.flow.copy()
    with act.run.reporting.silently():
        found = any(_differ(act, one, other) for one, other in _pairs(act, place, eager, traced))
    act.flow = flow
    return found


def _pairs(act: Activation, place: ast.AST, eager: Side, traced: Side) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the eager and the traced expression of the result, or of a name that is used after the branch."""
    for name, one, other in pairs(act, eager, traced):
        if name is None or serves(act, place, name):
            yield one, other


def _differ(act: Activation, one: ast.expr, other: ast.expr) -> bool:
    return any(_follows(act, made) and _is_fixed(act, kept) for made, kept in ((one, other), (other, one)))


def _is_fixed(act: Activation, node: ast.expr) -> bool:
    """Return whether no gradient passes through the array that an expression gives."""
    held = evaluate(act, node)
    return isinstance(held, CapturedArray) or (isinstance(held, Tensor) and held.flows is False and not held.optional)


def _follows(act: Activation, node: ast.expr) -> bool:
    """Return whether an expression is an array through which a gradient passes, by each step that it is written in."""
    held = evaluate(act, node)
    if not isinstance(held, Tensor) or held.flows is not True or held.optional:
        return False
    plain = arithmetic(node) or node
    match plain:
        case ast.Name():
            return True
        case ast.BinOp(left=left, op=op, right=right):
            vanishes = isinstance(op, ast.Mult) and any(map(_is_zero, (left, right)))
            return not vanishes and any(_follows(act, side) for side in (left, right))
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args) if _is_operator(name):
            return any(_follows(act, part) for part in (owner, *args[:1]))
        case _:
            return False


def _is_operator(name: str) -> bool:
    return lookup.of_tensors(name) is not None or lookup.of_numbers(name) is not None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str) and node.value == 0
