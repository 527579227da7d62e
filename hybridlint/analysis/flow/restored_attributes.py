"""Attributes that keep or get back their value: converted in place, reset to the first value, or restored."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import lru_cache

from hybridlint.analysis.model.values import ContainerValue, ProjectClass, Value
from hybridlint.text.syntax import branches


def is_stored_as_itself(target: ast.Attribute, statement: ast.AST, keeping: Set[str]) -> bool:
    """Return whether an assignment stores the result of one of the attribute's own value-preserving methods."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as source, attr=method))):
            return method in keeping and source.attr == target.attr and _same(source.value, target.value)
    return False


def is_emptied(info: ProjectClass, name: str, value: Value) -> bool:
    """Return whether a plain object empties a container that its ``__init__`` leaves empty: each call begins alike."""
    found = info.method("__init__")
    if info.block or not isinstance(value, ContainerValue) or value.items != () or found is None:
        return False
    return any(_stores_nothing(node, name) for node in branches(found[0]))


@lru_cache(maxsize=64)
def given_back(function: ast.AST) -> frozenset[ast.AST]:
    """Return the statements of a function that change attributes temporarily, and the statements that undo it.

    ``self.depth += 1`` and later ``self.depth -= 1``; ``self.names.append(name)`` and later ``self.names.pop()``;
    ``before = self.mode``, ``self.mode = new`` and later ``self.mode = before``. The later one stands behind the other
    in a block, or in a ``finally``.
    """
    return frozenset(one for body in _sequences(function) for pair in _pairs(body) for one in pair)


def _sequences(function: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the statement lists of a function, with the statements of a ``try`` that surely run in place of it."""
    for node in branches(function):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list):
                yield [part for one in body for part in ([*one.body, *one.finalbody] if _is_try(one) else [one])]


def _is_try(node: ast.stmt) -> bool:
    return isinstance(node, ast.Try) and bool(node.finalbody)


def _pairs(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    stores = [(at, one) for at, one in enumerate(body) if _stores_attribute(one) or isinstance(one, ast.Expr)]
    for number, (at, first) in enumerate(stores):
        for _, later in stores[number + 1 :]:
            if _undoes(first, later) or _restores(body[:at], first, later):
                yield first, later


def _stores_attribute(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return len(targets) == 1 and isinstance(targets[0], ast.Attribute)


def _undoes(first: ast.stmt, later: ast.stmt) -> bool:
    match first, later:
        case (
            ast.AugAssign(target=ast.Attribute() as target, op=ast.Add(), value=by),
            ast.AugAssign(target=ast.Attribute() as again, op=ast.Sub(), value=back),
        ):
            return ast.dump(target) == ast.dump(again) and ast.dump(by) == ast.dump(back)
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as pushed, attr="append"))),
            ast.Expr(value=ast.Call(func=ast.Attribute(value=popped, attr="pop"), args=[])),
        ):
            return ast.dump(pushed) == ast.dump(popped)
        case _:
            return False


def _restores(before: list[ast.stmt], first: ast.stmt, later: ast.stmt) -> bool:
    """Return whether a statement stores what a name has kept of an attribute before it was set."""
    match first, later:
        case (
            ast.Assign(targets=[ast.Attribute() as target]),
            ast.Assign(targets=[ast.Attribute() as again], value=ast.Name(id=name)),
        ):
            pass
        case _:
            return False
    kept = (one for one in before if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name)
    attribute = ast.unparse(target)
    return ast.unparse(again) == attribute and any(ast.unparse(one.value) == attribute for one in kept)


def _stores_nothing(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Assign(
            targets=[ast.Attribute(attr=attribute)], value=ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Call(args=[])
        ):
            return attribute == name
        case _:
            return False


def _same(left: ast.expr, right: ast.expr) -> bool:
    return isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id == right.id
