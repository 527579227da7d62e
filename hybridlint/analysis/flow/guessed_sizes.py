"""Sizes that eager runs read from an array, where the trace takes a setting in their place."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.flow.python_operators import SIZES
from hybridlint.analysis.model.lattice import in_world
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    ContainerValue,
    DataDependentValue,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.runtime.facts import lookup
from hybridlint.text.parameters import defaults_of
from hybridlint.text.syntax import branches, each, holds, reads, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Sizes that are known by what they count: coordinates, classes, colours.
_MOST_COUNTED = 4


def is_guessed_size(act: Activation, eager: Value, traced: Value | None, setting: ast.expr | None = None) -> bool:
    """Return whether the trace has a setting that no layer was given where eager runs read a size.

    Numbers that reshape gives a meaning of their own are no sizes. `setting` is the expression of what the trace has.
    """
    eager = in_world(eager, "eager")
    if isinstance(eager, ContainerValue) and isinstance(traced, ContainerValue):
        written = setting.elts if isinstance(setting, ast.Tuple | ast.List) else [None] * len(traced.items or ())
        pairs = zip(eager.items or (), traced.items or (), written, strict=False)
        return any(is_guessed_size(act, size, number, node) for size, number, node in pairs)
    if not isinstance(eager, DataDependentValue) or eager.reason not in SIZES:
        return False
    if isinstance(traced, ContainerValue):
        # Several sizes at once, `shape[2:]`.
        parts = setting.elts if isinstance(setting, ast.Tuple | ast.List) else [None] * len(traced.items or ())
        return any(
            is_guessed_size(act, eager, number, node) for number, node in zip(traced.items or (), parts, strict=False)
        )
    if setting is not None and _stands_alone(act, setting):
        return True
    if not isinstance(traced, StaticValue | Unknown) or not traced.loose:
        return False
    if isinstance(traced, Unknown):
        return True
    sizes = traced.value if isinstance(traced.value, tuple) and traced.value else (traced.value,)
    return traced.value is STATIC_UNKNOWN or all(type(size) in {int, float} and size > 0 for size in sizes)


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
    return any(_computes(function, n, {name}) for n in reads(function, name) if id(n) not in inside)


def returns_guess(act: Activation, eager: Sequence[ast.stmt], traced: Sequence[ast.stmt]) -> bool:
    """Return whether the eager side returns a size, and the trace a setting in its place."""
    match list(eager)[-1:], list(traced)[:1]:
        case [ast.Return(value=ast.expr() as size)], [ast.Return(value=ast.expr() as setting)]:
            flow = act.flow.copy()
            with act.run.reporting.silently():
                read, given = evaluate(act, size), evaluate(act, setting)
            act.flow = flow
            return is_guessed_size(act, read, given, setting)
        case _:
            return False


def bound_expression(side: ast.expr | Sequence[ast.stmt], name: str) -> ast.expr | None:
    """Return the expression that a side of a branch binds a name to; None if the binding is not plain.

    An empty name represents the value of a side that is an expression.
    """
    if isinstance(side, ast.expr):
        return None if name else side
    found = [n for n in side if isinstance(n, ast.Assign)]
    for node in reversed(found):
        match node.targets:
            case [ast.Name(id=target)] if target == name:
                return node.value
            case _:
                pass
    return None


def _stands_alone(act: Activation, setting: ast.expr) -> bool:
    """Return whether a number, or the constant of the module for it, is written nowhere else.

    A layer that has the number, or the constant, holds sizes to it.
    """
    tree = act.module.source.tree
    match setting:
        case ast.Constant(value=int() | float() as number) if number > _MOST_COUNTED:
            same = (n for n in walk(tree) if isinstance(n, ast.Constant) and type(n.value) is type(number))
            return sum(n.value == number for n in same) == 1
        case ast.Tuple(elts=[_, *_] as parts):
            numbers = [part.value for part in parts if isinstance(part, ast.Constant)]
            sizes = all(type(number) is int and number > _MOST_COUNTED for number in numbers)
            inside = set(map(id, parts))
            others = (n for n in walk(tree) if isinstance(n, ast.Constant) and id(n) not in inside)
            return len(numbers) == len(parts) and sizes and not any(n.value in numbers for n in others)
        case ast.Name(id=name) if (default := _default_of(act, name)) is not None:
            return _stands_alone(act, default)
        case ast.Name(id=name) if act.is_global(name) and act.module.sets_once(name):
            value = act.module.value(name)
            uses = [*reads(tree, name)]
            number = (
                isinstance(value, StaticValue) and type(value.value) in {int, float} and value.value > _MOST_COUNTED
            )
            return number and len(uses) == 1 + len(_only_computed_with(tree, uses))
        case _:
            return False


def _only_computed_with(tree: ast.Module, uses: list[ast.Name]) -> list[ast.Name]:
    """Return the uses of a constant in arithmetic outside of constructors, by which no layer holds sizes to it."""
    functions = [n for n in each(tree, ast.FunctionDef) if n.name != "__init__"]
    operands = {id(side) for f in functions for n in each(f, ast.BinOp) for side in (n.left, n.right)}
    return [use for use in uses if id(use) in operands]


def _default_of(act: Activation, name: str) -> ast.Constant | ast.Tuple | None:
    """Return the default of a helper's argument if the argument has that value in this call, else None."""
    if not isinstance(act.node, ast.FunctionDef) or act.role.entry:
        return None
    default = defaults_of(act.node.args).get(name)
    held = act.flow.names.get(name)
    if not isinstance(default, ast.Constant | ast.Tuple) or not isinstance(held, StaticValue):
        return None
    known = (
        default.value if isinstance(default, ast.Constant) else tuple(getattr(n, "value", None) for n in default.elts)
    )
    return default if held.value == known else None


def _bound_to(function: ast.AST, place: ast.AST) -> list[str] | None:
    """Return the name that is bound to an expression alone, in a list; None for part of a larger one."""
    for node in walk(function):
        if isinstance(node, ast.Assign) and node.value is place:
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return None


def _computes(function: ast.AST, node: ast.Name, names: set[str]) -> bool:
    """Return whether the statement around a read computes with it, or with what it binds; `names` were looked at."""
    for around in branches(function):
        if around is function or not holds(around, node):
            continue
        match around:
            case ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.Call(func=ast.Name(id="print")):
                return False
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if holds(test, node):
                return False
            case ast.Call(func=ast.Attribute(attr=called)) if _takes_codes(called):
                return False
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.BinOp() | ast.Name()) if other not in names:
                return any(_computes(function, n, names | {other}) for n in reads(function, other))
            case _:
                pass
    return True


def _takes_codes(called: str) -> bool:
    """Return whether a function or method is reshape, which finds sizes by itself."""
    operator = lookup.of_tensors(called)
    return operator is not None and operator is lookup.method("reshape")
