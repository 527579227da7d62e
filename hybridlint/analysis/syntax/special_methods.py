"""Special methods of the project's plain objects, which Python's syntax and its builtins call: ``next(self.rates)``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import Function, SelfRef, Value
from hybridlint.text.syntax import own

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: The names of the methods of operators, without the underscores.
_OPERATORS: Mapping[str, str] = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}
#: Builtins that ask an object by a method of their own name.
_ASKING = frozenset({"next", "iter", "float", "int", "complex", "abs", "round", "len", "reversed"})


def special(act: Activation, place: ast.AST, value: Value, name: str, *given: Value) -> Value | None:
    """Return the result of a plain object's special method; None for other values or without the method."""
    found = value.instance.info.method(name) if isinstance(value, SelfRef) and not value.instance.info.block else None
    if found is None:
        return None
    at = place if isinstance(place, ast.expr) else ast.Constant(None)
    call = place if isinstance(place, ast.Call) else ast.copy_location(ast.Call(at, [], []), place)
    return invoke(act, call, Function(*found, (value,)), ArgumentsEvent((at,) * len(given), given, {}, {}))


def asked_by_builtin(act: Activation, node: ast.Call, name: str, value: Value) -> Value | None:
    """Return the result of a builtin function on a plain object with a method for it; None for any other call."""
    if name == "bool":
        return asked_truth(act, node, value)
    return special(act, node, value, f"__{name}__") if name in _ASKING else None


def asked_truth(act: Activation, node: ast.AST, value: Value) -> Value | None:
    """Return the truth value of a plain object; None if it has no method for it."""
    answer = special(act, node, value, "__bool__")
    return special(act, node, value, "__len__") if answer is None else answer


def first_element(act: Activation, node: ast.AST, value: SelfRef) -> tuple[Value, bool] | None:
    """Return the result of a plain object's ``__iter__``, and whether it is an element; None without the method."""
    found = value.instance.info.method("__iter__")
    made = special(act, node, value, "__iter__")
    if found is None or made is None:
        return None
    if isinstance(made, SelfRef):
        step = special(act, node, made, "__next__")
        return None if step is None else (step, True)
    return made, any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own(found[0]))


def operator_result(act: Activation, node: ast.AST, symbol: str, left: Value, right: Value) -> Value | None:
    """Return the result of an operator that a plain object's method defines; None if neither side has the method."""
    name = _OPERATORS.get(symbol)
    if name is None or not (isinstance(left, SelfRef) or isinstance(right, SelfRef)):
        return None
    answer = special(act, node, left, f"__{name}__", right)
    return special(act, node, right, f"__r{name}__", left) if answer is None else answer
