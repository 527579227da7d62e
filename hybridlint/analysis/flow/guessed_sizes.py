"""Sizes that eager runs read from an array, where the trace takes a setting in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.model.lattice import in_world
from hybridlint.analysis.model.values import STATIC_UNKNOWN, Concrete, Items, Static, Unknown, Value
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import branches, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: What tells sizes of an array.
_SIZES = frozenset({"shape", "size", "ndim", "len"})


def guessed(eager: Value, traced: Value | None) -> bool:
    """Return whether the trace has a setting that no layer was given where eager runs read a size.

    Numbers that reshape gives a meaning of their own are no sizes.
    """
    eager = in_world(eager, "eager")
    if isinstance(eager, Items) and isinstance(traced, Items):
        return any(map(guessed, eager.items or (), traced.items or ()))
    if not isinstance(eager, Concrete) or eager.reason not in _SIZES:
        return False
    if not isinstance(traced, Static | Unknown) or not traced.loose:
        return False
    if isinstance(traced, Unknown):
        return True
    return traced.value is STATIC_UNKNOWN or (type(traced.value) in {int, float} and traced.value > 0)


def serves(act: Activation, place: ast.AST, name: str) -> bool:
    """Return whether the function computes with what a name holds after a place, or, without a name, with its value.

    Tests, messages and shapes for reshape are no such computation: a wrong size of those raises, or changes nothing.
    """
    function = act.node
    if function is None:
        return False
    if not name:
        bound = _bound_to(function, place)
        return bound is None or any(serves(act, place, each) for each in bound)
    inside = {id(n) for n in walk(place)}
    return any(_computes(function, n, {name}) for n in _reads(function, name) if id(n) not in inside)


def returns_guess(act: Activation, eager: Sequence[ast.stmt], traced: Sequence[ast.stmt]) -> bool:
    """Return whether the eager side returns a size, and the trace a setting in its place."""
    match list(eager)[-1:], list(traced)[:1]:
        case [ast.Return(value=ast.expr() as size)], [ast.Return(value=ast.expr() as setting)]:
            flow = act.flow.copy()
            with act.run.reporting.silently():
                values = [evaluate(act, side) for side in (size, setting)]
            act.flow = flow
            return guessed(*values)
        case _:
            return False


def _bound_to(function: ast.AST, place: ast.AST) -> list[str] | None:
    """Return the name that is bound to an expression alone, in a list; None for part of a larger one."""
    for node in walk(function):
        if isinstance(node, ast.Assign) and node.value is place:
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return None


def _reads(function: ast.AST, name: str) -> Iterator[ast.Name]:
    return (n for n in walk(function) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))


def _computes(function: ast.AST, node: ast.Name, names: set[str]) -> bool:
    """Return whether the statement around a read computes with it, or with what it binds; `names` were looked at."""
    for around in branches(function):
        if around is function or not _holds(around, node):
            continue
        match around:
            case ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.Call(func=ast.Name(id="print")):
                return False
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if _holds(test, node):
                return False
            case ast.Call(func=ast.Attribute(attr=called)) if _takes_codes(called):
                return False
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.BinOp() | ast.Name()) if other not in names:
                return any(_computes(function, n, names | {other}) for n in _reads(function, other))
            case _:
                pass
    return True


def _holds(outer: ast.AST, node: ast.AST) -> bool:
    return any(n is node for n in walk(outer))


def _takes_codes(called: str) -> bool:
    """Return whether a function or method is reshape, which finds sizes by itself."""
    operator = lookup.of_tensors(called)
    return operator is not None and operator is lookup.method("reshape")
