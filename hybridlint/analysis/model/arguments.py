"""The arguments of calls: the value passed for a parameter, the tensors among the arguments, and constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    External,
    Outputs,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.text.syntax import walk


def argument(arguments: ArgumentsEvent, name: str, position: int | None = None) -> Value | None:
    """Return an argument given by keyword or position; None if it is not given."""
    if name in arguments.keywords:
        return arguments.keywords[name]
    if position is not None and 0 <= position < len(arguments.values):
        return arguments.values[position]
    return None


def moves_on(target: ast.expr, arguments: ArgumentsEvent) -> bool:
    """Return whether a call computes the new contents of an object from the old contents."""
    text = ast.unparse(target)
    given = (*arguments.nodes, *(node for name, node in arguments.keyword_nodes.items() if node is not target))
    return any(ast.unparse(part) == text for node in given for part in walk(node) if isinstance(part, ast.expr))


def origin_of(values: Sequence[Value]) -> str:
    """Return the origin of a result: "constant" or "weights" if none of its arguments depends on an input."""
    origins = {_origin(value) for value in _leaves(values)}
    if origins <= {"constant"}:
        return "constant"
    return "weights" if origins <= {"constant", "parameter", "weights"} else "operator"


def _origin(value: Value) -> str:
    """Return the origin of an operand; a setting or a name of a library is a constant."""
    match value:
        case StaticValue() | External():
            return "constant"
        case Tensor(origin=origin):
            return origin
        case _:
            return "operator"


def _leaves(values: Sequence[Value]) -> Iterator[Value]:
    for value in values:
        if isinstance(value, ContainerValue) and value.items is not None:
            yield from _leaves(value.items)
        else:
            yield value


def tensors_in(values: Sequence[Value]) -> Iterator[Tensor | Outputs | CapturedArray]:
    """Yield the tensors among values, including those in containers."""
    for value in values:
        if isinstance(value, ContainerValue):
            yield from tensors_in((element(value),) if value.items is None else value.items)
        elif isinstance(value, Tensor | Outputs | CapturedArray):
            yield value


def constant(value: Value | None) -> Any:
    """Return the Python constant of a value, `STATIC_UNKNOWN` if it is not known."""
    if isinstance(value, StaticValue):
        return value.value
    if isinstance(value, External):
        base = value.name.rpartition(".")[2]
        return base if value.name.startswith(("numpy.", "builtins.")) else STATIC_UNKNOWN
    if isinstance(value, ContainerValue) and value.kind in {"list", "tuple"} and value.items is not None:
        parts = [constant(item) for item in value.items]
        return STATIC_UNKNOWN if any(p is STATIC_UNKNOWN for p in parts) else tuple(parts)
    return STATIC_UNKNOWN


def method_node(node: ast.Call) -> ast.expr:
    """Return the receiver of a method call."""
    assert isinstance(node.func, ast.Attribute)
    return node.func.value
