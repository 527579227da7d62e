"""Callbacks, writers and meters that a constructor takes as None by default, and that a block only calls.

Without one, the code that prepares their arguments never runs, such as reading a number from a tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: An observer that is called itself, and one of which methods are called.
_CALLED = "lambda *args, **kwargs: None"
_OF_METHODS = "type('Observer', (), dict.fromkeys({names}, lambda *args, **kwargs: None))()"
#: Functions that take the items of a container as they are.
_CONTAINERS = ("list", "tuple", "enumerate", "reversed")
#: The name for a call of the observer itself, beside those of its methods.
_ITSELF = ""


def observers(absent: Sequence[str], trees: Sequence[ast.AST], scope: Mapping[str, Any]) -> dict[str, str]:
    """Return expressions for the constructor arguments that the code calls as observers if they are given.

    `absent` are the arguments that are None or empty by default, `trees` the code of the class, `scope` its globals.
    """
    found: dict[str, str] = {}
    for name in absent:
        attributes = {name, *(attribute for tree in trees for attribute in _attributes(tree, name))}
        one = [method for tree in trees for method in _told(tree, attributes)]
        items = [method for tree in trees for method in _told_in_loops(tree, attributes)]
        if one:
            found[name] = _observer(one, scope)
        elif items:
            found[name] = f"[{_observer(items, scope)}]"
    return found


def _observer(methods: Sequence[str], scope: Mapping[str, Any]) -> str:
    names = sorted(set(methods) - {_ITSELF})
    if not names:
        return _CALLED
    fitting = (key for key, value in scope.items() if _has(value, names) and value.__module__ == scope.get("__name__"))
    for key in fitting:
        try:
            scope[key]()
        except Exception:
            continue
        return f"{key}()"
    return _OF_METHODS.format(names=names)


def _has(value: Any, names: Sequence[str]) -> bool:
    return isinstance(value, type) and all(callable(getattr(value, name, None)) for name in names)


def _attributes(tree: ast.AST, name: str) -> Iterator[str]:
    """Yield the attributes of self that hold an argument: directly, in a container, or with a default."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _held(node.value) == name:
            yield from filter(None, map(_own, node.targets))


def _held(value: ast.expr) -> str:
    if isinstance(value, ast.BoolOp):
        return _held(value.values[0])
    if isinstance(value, ast.IfExp):
        return _held(value.body) or _held(value.orelse)
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") in _CONTAINERS and value.args:
        return _held(value.args[0])
    return getattr(value, "id", "")


def _told(tree: ast.AST, attributes: set[str]) -> Iterator[str]:
    """Yield the methods that statements call on one of the attributes; "" where it is called itself."""
    for call in _statements(tree):
        if _own(call.func) in attributes:
            yield _ITSELF
        elif isinstance(call.func, ast.Attribute) and _own(call.func.value) in attributes:
            yield call.func.attr


def _told_in_loops(tree: ast.AST, attributes: set[str]) -> Iterator[str]:
    """Yield the methods that statements call on the items of one of the attributes, in loops."""
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For):
            continue
        source, target = loop.iter, loop.target
        while isinstance(source, ast.Call) and getattr(source.func, "id", "") in _CONTAINERS and source.args:
            source = source.args[0]
        variable = target.elts[-1] if isinstance(target, ast.Tuple) else target
        if _own(source) not in attributes or not isinstance(variable, ast.Name):
            continue
        for call in _statements(loop):
            if getattr(call.func, "id", "") == variable.id:
                yield _ITSELF
            elif isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == variable.id:
                yield call.func.attr


def _statements(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls whose result nothing uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node.value


def _own(node: ast.AST) -> str:
    """Return the name of the attribute of `self` that an expression is, "" for any other expression."""
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if isinstance(node, ast.Attribute) and plain else ""
