"""Arrays that a function creates for arguments that are None. Such an array exists at the trace too.

After both branches the value is unknown, as the caller may pass anything; the created array is kept with it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import CapturedArray, ContainerValue, NoneSubstitute, Unknown, Value
from hybridlint.text.parameters import defaults_of

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def tested_for_none(act: Activation, test: ast.expr) -> tuple[ast.arg, bool] | None:
    """Return the argument of a block that a condition tests, and whether the condition is true for None."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(None)]):
            holds = isinstance(op, ast.Is)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            holds = True
        case ast.Name(id=name):
            holds = False
        case _:
            return None
    if not act.role.entry or not isinstance(act.node, ast.FunctionDef):
        return None
    spec = act.node.args
    found = next((a for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if a.arg == name), None)
    return None if found is None else (found, holds)


def keep_omitted(act: Activation, test: ast.expr, sides: Mapping[bool, Mapping[str, Value]]) -> None:
    """Keep, with names of unknown value after a branch, the arrays that the function makes where an argument is None.

    `sides` holds the values of the names after the sides where the test holds, and where it does not.
    """
    asked = tested_for_none(act, test) if len(sides) == len((True, False)) else None
    if asked is None:
        return
    argument, holds = asked
    for name, value in sides[holds].items():
        if name in act.flow.names and _is_array(value) and isinstance(act.flow.names[name], Unknown):
            act.flow.names[name] = _kept(act, argument, value)


def omitted_choice(act: Activation, test: ast.expr, where: Mapping[bool, Value], found: Value) -> Value:
    """Return the joined value `found` of a choice by a test, with the array that the code creates for None."""
    asked = tested_for_none(act, test) if isinstance(found, Unknown) and len(where) == len((True, False)) else None
    if asked is None or not _is_array(where[asked[1]]):
        return found
    return _kept(act, asked[0], where[asked[1]])


def _is_array(value: Value) -> bool:
    return isinstance(value, CapturedArray) or (
        isinstance(value, ContainerValue) and isinstance(value.each, CapturedArray)
    )


def _kept(act: Activation, argument: ast.arg, made: Value) -> Unknown:
    assert isinstance(act.node, ast.FunctionDef)
    return Unknown(omitted=NoneSubstitute(argument.arg, made, by_default=argument.arg in defaults_of(act.node.args)))
