"""The truth of a test whose parts have known values: settings and constants."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any, TypeAlias

from hybridlint.text.literals import literal_value

#: The values that an expression may have; None if they are not known.
Values: TypeAlias = "tuple[Any, ...] | None"
ValueOf: TypeAlias = Callable[[ast.expr], Values]

_EITHER = frozenset({True, False})
#: The values of an expression above which they count as unknown.
_MOST_VALUES = 16
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: lambda left, right: left is right or (left == right and not isinstance(left, bool)),
    ast.IsNot: lambda left, right: left is not right,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
#: Functions and methods that are computed, by name.
_FUNCTIONS: dict[str, Callable[..., Any]] = {"bool": bool, "int": int, "str": str, "len": len}
_METHODS = frozenset({"lower", "upper", "strip", "startswith", "endswith"})


def truths(test: ast.expr, value_of: ValueOf) -> frozenset[bool]:
    """Return the truths that a test may have, given what is known of its parts."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return frozenset(not one for one in truths(inner, value_of))
        case ast.BoolOp(op=op, values=parts):
            return _combined([truths(part, value_of) for part in parts], stops=isinstance(op, ast.Or))
        case _:
            known = possible_values(test, value_of)
            return _EITHER if known is None else frozenset(map(bool, known))


def _combined(parts: list[frozenset[bool]], *, stops: bool) -> frozenset[bool]:
    """Return the truths of ``and`` or ``or``, which the truth `stops` of one part decides."""
    goes_on = not stops
    found = {goes_on} if all(goes_on in part for part in parts) else set()
    return frozenset(found | ({stops} if any(stops in part for part in parts) else set()))


def possible_values(node: ast.expr, value_of: ValueOf) -> Values:
    """Return the values that an expression may have; `value_of` tells them for names, attributes and calls."""
    known = value_of(node)
    if known is not None:
        return known
    match node:
        case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[_, _, *_]):
            return None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _applied(_COMPARED[type(op)], [left, right], value_of)
        case ast.BoolOp(op=op, values=parts):
            return _chosen(parts, value_of, stops=isinstance(op, ast.Or))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            sides = [side for side, holds in ((body, True), (orelse, False)) if holds in truths(test, value_of)]
            return _joined(possible_values(side, value_of) for side in sides)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _applied(_FUNCTIONS[name], [argument], value_of)
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args, keywords=[]) if name in _METHODS:
            return _applied(lambda text, *rest: getattr(text, name)(*rest), [owner, *args], value_of)
        case _:
            return _literal(node)


def _literal(node: ast.expr) -> Values:
    if not isinstance(node, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.Dict | ast.UnaryOp):
        return None
    try:
        return (literal_value(node),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _applied(function: Callable[..., Any], nodes: list[ast.expr], value_of: ValueOf) -> Values:
    """Return the results of a function for all combinations of the values of its arguments."""
    values = [possible_values(node, value_of) for node in nodes]
    known = [one for one in values if one is not None]
    if len(known) < len(values):
        return None
    try:
        return tuple(function(*given) for given in islice(product(*known), _MOST_VALUES))
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
        return None


def _chosen(parts: list[ast.expr], value_of: ValueOf, *, stops: bool) -> Values:
    """Return the possible values of ``a or b`` and ``a and b`` if all values of the parts are known."""
    found: list[Any] = []
    for part in parts[:-1]:
        known = possible_values(part, value_of)
        if known is None:
            return None
        found += [value for value in known if bool(value) is stops]
        if all(bool(value) is stops for value in known):
            return tuple(found)
    last = possible_values(parts[-1], value_of)
    return None if last is None else (*found, *last)


def _joined(sides: Iterator[Values]) -> Values:
    found: list[Any] = []
    for side in sides:
        if side is None:
            return None
        found += side
    return tuple(found)
