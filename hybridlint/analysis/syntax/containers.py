"""Lists and dicts that a function changes and that its caller passed to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import NOTHING, ArgumentsEvent
from hybridlint.analysis.model.tables import CHANGING
from hybridlint.analysis.model.values import ContainerValue, Function
from hybridlint.analysis.syntax.subscripts import rebind
from hybridlint.text.syntax import branches

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def copy_containers(inner: Activation, outer: Activation, function: Function, arguments: ArgumentsEvent | None) -> None:
    """Give the caller's lists and dicts the contents that the called function left in them."""
    for name, node, value in _containers(function, arguments or NOTHING):
        now = inner.flow.names.get(name)
        if isinstance(now, ContainerValue) and now is not value and _is_filled(function.node, name):
            rebind(outer, node, now)


def fills(function: Function, arguments: ArgumentsEvent) -> bool:
    """Return whether a function changes a container among its arguments."""
    return any(_is_filled(function.node, name) for name, _, _ in _containers(function, arguments))


def _containers(function: Function, arguments: ArgumentsEvent) -> Iterator[tuple[str, ast.expr, ContainerValue]]:
    """Yield each container among the arguments: its parameter name, its expression in the call, and its value."""
    spec = function.node.args
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]][len(function.bound) :]
    pairs = [*zip(names, arguments.nodes, arguments.values, strict=False)]
    pairs += [
        (name, node, arguments.keywords[name])
        for name, node in arguments.keyword_nodes.items()
        if name in arguments.keywords
    ]
    return ((name, node, value) for name, node, value in pairs if isinstance(value, ContainerValue))


def _is_filled(function: ast.AST, name: str) -> bool:
    """Return whether a function changes the container in a parameter and never assigns to that name."""
    filled = False
    for node in branches(function):
        match node:
            case ast.Assign(targets=targets) if any(isinstance(t, ast.Name) and t.id == name for t in targets):
                return False
            case ast.Call(func=ast.Attribute(value=ast.Name(id=changed), attr=method)):
                filled = filled or (changed == name and method in CHANGING)
            case (
                ast.AugAssign(target=ast.Name(id=changed)) | ast.Subscript(value=ast.Name(id=changed), ctx=ast.Store())
            ):
                filled = filled or changed == name
    return filled
