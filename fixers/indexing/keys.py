"""Keys of subscripts: the expressions between the brackets."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import StaticValue, Value

_MANY = 8


def literal(node: ast.expr | None) -> int | None:
    """Return the integer that is written out, as ``-1`` or ``np.int32(3)``; None for anything else."""
    match node:
        case ast.Constant(value=bool() as flag):
            return int(flag)
        case ast.Constant(value=int() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
        case ast.Call(func=ast.Attribute(attr=name), args=[only]) if name.startswith(("int", "uint")):
            return literal(only)
    return None


def flat_keys(keys: Sequence[ast.expr], values: Sequence[Value]) -> tuple[list[ast.expr], list[Value]]:
    """Return the keys of a subscript with their values: two for ``x[(0, 1)]``, and ``0:1`` for ``x[slice(0, 1)]``."""
    if len(keys) == 1 and isinstance(keys[0], ast.Tuple):
        parts = keys[0].elts
        return [_as_slice(part) for part in parts], [StaticValue(literal(part)) for part in parts]
    return [_as_slice(key) for key in keys], list(values)


def _as_slice(key: ast.expr) -> ast.expr:
    match key:
        case ast.Call(func=ast.Name(id="slice"), args=[stop], keywords=[]):
            return ast.copy_location(ast.Slice(None, _bound_node(stop), None), key)
        case ast.Call(func=ast.Name(id="slice"), args=[start, stop, *step], keywords=[]) if len(step) < 2:
            parts = [_bound_node(start), _bound_node(stop), _bound_node(step[0]) if step else None]
            return ast.copy_location(ast.Slice(*parts), key)
    return key


def _bound_node(node: ast.expr) -> ast.expr | None:
    return None if is_none(node) else node


def listed_rows(key: ast.expr, *, flags: bool = False) -> list[int] | None:
    """Return the row numbers in a key such as ``[0, 2]`` or ``range(3)``; None unless they are literal and few.

    In a list of booleans, each one selects or skips a row; with `flags` they are the numbers 1 and 0, as outside of
    numpy mode.
    """
    match key:
        case ast.List(elts=elements):
            numbers = [None if _is_flag(e) and not flags else literal(e) for e in elements]
        case ast.Call(func=ast.Name(id="range"), args=[*bounds]) if bounds:
            given = [literal(b) for b in bounds]
            if any(g is None for g in given):
                return None
            numbers = list(range(*[g for g in given if g is not None])[: _MANY + 1])
        case ast.Call(func=ast.Attribute(attr="array"), args=[ast.List() as inner]):
            return listed_rows(inner)
        case _:
            return None
    rows = [n for n in numbers if n is not None]
    return rows if 0 < len(rows) == len(numbers) <= _MANY else None


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def selects_output(event: Subscript) -> bool:
    """Whether a Symbol of one output returns itself for the key: 0, or a slice that begins at 0."""
    keys, values = flat_keys(event.keys, event.key_values)
    if len(keys) != 1 or (isinstance(event.node, ast.Subscript) and isinstance(event.node.slice, ast.Tuple)):
        return False
    key = keys[0]
    if isinstance(key, ast.Slice):
        return _selects_itself(key) and not whole_slice(key)
    number = literal(key)
    if number is None and isinstance(values[0], StaticValue) and isinstance(values[0].value, int):
        number = int(values[0].value)
    return number == 0


def whole_slice(key: ast.expr) -> bool:
    """Whether a key is ``:``, for which arrays and Symbols both return themselves."""
    if not isinstance(key, ast.Slice):
        return False
    everything = key.upper is None or is_none(key.upper)
    return everything and (literal(key.lower) or 0) == 0 == _unknown(key.lower) and literal(key.step) in {None, 1}


def _selects_itself(key: ast.Slice) -> bool:
    if any(_unknown(part) for part in (key.lower, key.upper, key.step)):
        return False
    lower, upper, step = literal(key.lower) or 0, literal(key.upper), literal(key.step) or 1
    return lower == 0 and upper in {None, 1} and step > 0


def _unknown(node: ast.expr | None) -> int:
    return int(node is not None and not is_none(node) and literal(node) is None)


def is_none(node: ast.expr) -> bool:
    """Whether an expression is None, or ``np.newaxis``, which is another name of it."""
    return (isinstance(node, ast.Constant) and node.value is None) or getattr(node, "attr", None) == "newaxis"


def is_ellipsis(node: ast.expr) -> bool:
    """Whether an expression is ``...`` or ``Ellipsis``."""
    return (isinstance(node, ast.Constant) and node.value is Ellipsis) or getattr(node, "id", None) == "Ellipsis"
