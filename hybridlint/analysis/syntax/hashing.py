"""Hashing: set members, dict keys, and arguments of cached functions. Arrays are hashable, Symbols are not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import ContainerValue, Tensor, Value
from hybridlint.analysis.syntax.iteration import iterate

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Methods of sets that hash their argument, and those that hash all elements of it.
_ONE = words("add discard remove")
_ALL = words(
    """
    update union intersection difference symmetric_difference intersection_update difference_update
    symmetric_difference_update issubset issuperset isdisjoint
    """
)
_OF_DICTS = words("get setdefault pop fromkeys")


def emit_hashing(act: Activation, node: ast.AST, *values: Value) -> None:
    """Emit an event for hashing values if a value is a tensor, or a tuple that contains a tensor."""
    tensor = next(filter(None, map(_tensor, values)), None)
    if tensor is not None:
        act.emit(Concretize, node, how="hash", value=tensor)


def each_hashed(act: Activation, node: ast.AST, container: Value) -> None:
    """Emit an event for hashing all elements of a container; iterating over a tensor yields its rows."""
    if isinstance(container, ContainerValue) and container.items is not None and container.kind != "dict":
        emit_hashing(act, node, *container.items)
    else:
        emit_hashing(act, node, iterate(act, container, node, "set"))


def hashed_by_method(
    act: Activation, node: ast.AST, receiver: ContainerValue, name: str, values: tuple[Value, ...]
) -> None:
    """Emit an event for the values that a method of a set or dict hashes."""
    # A removal from an empty dict hashes no key.
    vain = name == "pop" and receiver.items == ()
    if not vain and name in (_ONE if receiver.kind == "set" else _OF_DICTS if receiver.kind == "dict" else ()):
        emit_hashing(act, node, *values[:1])
    elif receiver.kind == "set" and name in _ALL:
        for value in values:
            each_hashed(act, node, value)


def _tensor(value: Value) -> Tensor | None:
    match value:
        case Tensor(optional=False):
            return value
        case ContainerValue(kind="tuple", items=items) if items is not None:
            return next(filter(None, map(_tensor, items)), None)
        case _:
            return None
