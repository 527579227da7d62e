"""Names for inputs that a block takes as ``*inputs``: what it takes them apart into, or passes them on as."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

#: How many methods inputs are followed through, and inputs of one block.
_DEPTH, _MOST = 3, 8


def variadic_names(block: Any, function: Any) -> list[list[str]]:
    """Return lists of names that the inputs may have, the likeliest first."""
    found = [names for names in _names(type(block), function, _DEPTH) if 0 < len(names) <= _MOST]
    distinct = {tuple(names): names for names in found}
    return list(distinct.values())


def _names(cls: Any, function: Any, depth: int) -> Iterator[list[str]]:
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, IndexError):
        return
    if not isinstance(node, ast.FunctionDef):
        return
    if node.args.vararg is None:
        names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "F")]
        yield names[: len(names) - len(node.args.defaults)]
        return
    name = node.args.vararg.arg
    yield from _taken(node, name)
    if depth:
        for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
            if any(isinstance(a, ast.Starred) and getattr(a.value, "id", "") == name for a in call.args):
                for method in _methods(cls, function, call.func):
                    yield from _names(cls, method, depth - 1)


def _taken(node: ast.FunctionDef, name: str) -> Iterator[list[str]]:
    """Iterate over names that assignments and subscripts in a function speak of."""
    last = -1
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], (ast.Tuple, ast.List)):
            if any(getattr(inner, "id", "") == name for inner in ast.walk(part.value)):
                yield [_shown(element, k) for k, element in enumerate(part.targets[0].elts)]
        elif isinstance(part, ast.Subscript) and getattr(part.value, "id", "") == name:
            key: Any = getattr(part.slice, "value", part.slice)
            last = max(last, key if type(key) is int else -1)
    if last >= 0:
        given = {_assigned(part, name): part.targets[0] for part in ast.walk(node) if isinstance(part, ast.Assign)}
        yield [_shown(given.get(k), k) for k in range(last + 1)]


def _assigned(node: ast.Assign, name: str) -> int:
    """Return the place among the inputs that an assignment gives a name, -1 where it gives none."""
    value = node.value
    if not isinstance(value, ast.Subscript) or getattr(value.value, "id", "") != name:
        return -1
    key: Any = getattr(value.slice, "value", value.slice)
    return key if type(key) is int else -1


def _shown(target: Any, place: int) -> str:
    inner = target.value if isinstance(target, ast.Starred) else target
    return inner.id if isinstance(inner, ast.Name) else f"input {place}"


def _methods(cls: Any, function: Any, called: ast.expr) -> Iterator[Any]:
    """Iterate over the methods that a call on self, or on super(), reaches."""
    if not isinstance(called, ast.Attribute):
        return
    owner, name = called.value, called.attr
    if getattr(owner, "id", "") == "self":
        yield getattr(cls, name, None)
    elif isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "super":
        plain = getattr(function, "__func__", function)
        places = [k for k, base in enumerate(cls.__mro__) if plain in vars(base).values()]
        for base in cls.__mro__[places[0] + 1 :] if places else ():
            if name in vars(base):
                yield vars(base)[name]
                return
