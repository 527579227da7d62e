"""Values of constructor arguments that the source of a class speaks of."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from hybridlint.verify.child import guesses

#: How many functions an argument is followed through.
DEPTH = 2
#: Values of one argument that are tried.
MOST = 4
_LISTS = ("[4, 4]", "(1, 1)", "[1, 1, 1, 1]")
_ARRAY = "nd.ones((4, 4))"
_ARRAY_ATTRIBUTES = {"shape", "size", "dtype", "asnumpy", "context", "ctx", "ndim"}


def choices(cls: Any, *, keys: bool = False) -> dict[str, tuple[str, ...]]:
    """Return expressions for arguments: what they are compared with, looked up by, gone through or asked for.

    With `keys` also dictionaries with the keys that they are asked for: what such a key holds is a guess of a guess.
    """
    found: dict[str, tuple[str, ...]] = {}
    for base in [
        base for base in getattr(cls, "__mro__", ()) if not base.__module__.startswith(("mxnet.", "builtins"))
    ]:
        for function in [value for value in vars(base).values() if inspect.isfunction(value)]:
            for name, values in _read(function, DEPTH, keys).items():
                found[name] = tuple(dict.fromkeys([*found.get(name, ()), *values]))[:MOST]
    return found


def _read(function: Any, depth: int, keys: bool) -> dict[str, tuple[str, ...]]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    scope = getattr(function, "__globals__", {})
    found: dict[str, dict[str, None]] = {name: {text: None} for name, text in _dictionaries(tree) if keys}
    for node in ast.walk(tree):
        for name, value in _spoken(node, scope):
            found.setdefault(name, {}).setdefault(value)
        if depth and isinstance(node, ast.Call):
            for name, values in _passed_on(node, scope, depth, keys):
                found.setdefault(name, {}).update(dict.fromkeys(values))
    return {name: tuple(values)[:MOST] for name, values in found.items()}


def _spoken(node: ast.AST, scope: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.In)):
        yield from ((_name(node.left), text) for text in _literals(node.comparators[0]))
    elif isinstance(node, ast.Subscript):
        key = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
        table = scope.get(_name(node.value))
        if isinstance(table, dict):
            yield from ((_name(key), repr(k)) for k in table if isinstance(k, (str, int)))
        yield from ((_name(node.value), text) for text in _LISTS)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("len", "enumerate", "zip", "list", "tuple", "sum", "max", "min"):
            yield from ((_name(argument), text) for argument in node.args for text in _LISTS)
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield from _iterated(node)
    elif isinstance(node, ast.Attribute) and node.attr in _ARRAY_ATTRIBUTES:
        yield _name(node.value), _ARRAY


def _dictionaries(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Iterate over dictionaries for names that are asked for keys that are strings, by what the keys mean."""
    keys: dict[str, dict[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and _name(node.value):
                keys.setdefault(_name(node.value), {})[key.value] = guesses.by_name(key.value)[0]
    for name, known in keys.items():
        yield name, f"{{{', '.join(f'{key!r}: {value}' for key, value in known.items())}}}"


def _passed_on(node: ast.Call, scope: dict[str, Any], depth: int, keys: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Iterate over what functions speak of that an argument is passed on to."""
    function = scope.get(_name(node.func))
    first = isinstance(function, type)
    if isinstance(function, type):
        function = vars(function).get("__init__")
    names = [*map(_name, node.args), *(_name(keyword.value) for keyword in node.keywords)]
    if not inspect.isfunction(function) or not any(names):
        return
    spoken = _read(function, depth - 1, keys)
    places = list(inspect.signature(function).parameters)[first:]
    for k, name in enumerate(names):
        place = places[k : k + 1] if k < len(node.args) else [node.keywords[k - len(node.args)].arg]
        if name and place and place[0] in spoken:
            yield name, spoken[place[0]]


def _iterated(node: Any) -> Iterator[tuple[str, str]]:
    """Iterate over lists for what a loop goes through: of pairs where it takes pairs apart."""
    source, target = node.iter, node.target
    if isinstance(source, ast.Call) and _name(source.func) == "enumerate" and source.args:
        source = source.args[0]
        target = target.elts[-1] if isinstance(target, ast.Tuple) else target
    if isinstance(target, ast.Tuple) and isinstance(source, ast.Name):
        item = f"({', '.join(['1', *['4'] * (len(target.elts) - 1)])})"
        yield source.id, f"[{item}, {item}]"
    yield from ((_name(source), text) for text in _LISTS)


def _literals(node: ast.AST) -> Iterator[str]:
    for item in node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]:
        if isinstance(item, ast.Constant) and isinstance(item.value, (str, int)):
            yield repr(item.value)


def _name(node: ast.AST) -> str:
    """Return the name of a variable, and of an attribute that mostly holds the argument of the same name."""
    if isinstance(node, ast.Attribute) and _name(node.value) == "self":
        return node.attr.strip("_")
    return node.id if isinstance(node, ast.Name) else ""
