"""Two expressions of the same tensors, computed at a few points: whether they are different functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator

from hybridlint.analysis.flow.one_run_code import arithmetic
from hybridlint.runtime.facts import lookup

#: How far values are apart that no rounding or usual approximation explains, relative to the larger one or to 1.
_APART = 1e-3
_POINTS = 4
#: Powers and the like of more than this are not computed.
_LARGEST = 1e6
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def values_differ(left: ast.expr, right: ast.expr) -> bool:
    """Return whether two expressions are different functions, by arithmetic and functions of numbers alone.

    What else they hold (names, attributes, other calls) counts as a number, if both hold the same; of expressions that
    hold different things nothing is known.
    """
    one, other = set(_parts(left)), set(_parts(right))
    if not one or one != other:
        return False
    for point in range(_POINTS):
        numbers = {part: 0.3 + 0.45 * ((7 * at + 5 * point) % 6) for at, part in enumerate(sorted(one))}
        try:
            a, b = _value(left, numbers), _value(right, numbers)
        except (ValueError, ArithmeticError, TypeError):
            continue
        if _are_apart(a, b):
            return True
    return False


def _are_apart(a: float, b: float) -> bool:
    if isinstance(a, complex) or isinstance(b, complex):
        return False
    return abs(a - b) > _APART * max(1.0, abs(a), abs(b))


def _parts(node: ast.expr) -> Iterator[str]:
    """Yield the parts of an expression other than arithmetic, numbers and functions of numbers."""
    node = arithmetic(node) or node
    match node:
        case ast.Constant(value=int() | float()):
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            yield from (*_parts(left), *_parts(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from _parts(operand)
        case ast.Call(args=[argument], keywords=[]) if _function(node) is not None:
            yield from _parts(argument)
        case _ if _number(node) is None:
            yield ast.dump(node)


def _value(node: ast.expr, numbers: dict[str, float]) -> float:
    """Return an expression's value. Raises ValueError or ArithmeticError where it has none."""
    node = arithmetic(node) or node
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _value(left, numbers), _value(right, numbers)
            if abs(a) > _LARGEST or abs(b) > _LARGEST:
                raise OverflowError
            return _OPERATORS[type(op)](a, b)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, numbers)
        case ast.Call(args=[argument], keywords=[]) if (function := _function(node)) is not None:
            return function(_value(argument, numbers))
    known = _number(node)
    return numbers[ast.dump(node)] if known is None else known


def _function(call: ast.Call) -> Callable[[float], float] | None:
    """Return Python's own function of a number, if an operator or a function of ``math`` is called by its name."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            operator = lookup.of_tensors(name)
            known = owner == "math" or (operator is not None and operator.facts.distinct)
            found = getattr(math, name, None) if known else None
            return found if callable(found) else None
        case _:
            return None


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr="pi" | "e" as name):
            return float(getattr(math, name))
        case _:
            return None
