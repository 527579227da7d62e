"""Iterators that outlive a call: the elements that one call consumes are missing in the next call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.persistent_state import outlives
from hybridlint.analysis.model.events import TraceConstant
from hybridlint.analysis.model.tables import ITERATORS
from hybridlint.analysis.model.values import ContainerValue, LibraryInstance, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Methods that advance an iterator.
STEPPING = frozenset({"send", "__next__"})


def advances(act: Activation, place: ast.expr, value: Value) -> bool:
    """Return whether iterating over a value consumes elements that later calls of the block would have found.

    `place` is the expression that holds the value.
    """
    if isinstance(value, ContainerValue):
        return value.kind == "generator" and outlives(act, place, value)
    return isinstance(value, LibraryInstance) and not value.anew and value.maker in ITERATORS


def emit_iteration(act: Activation, node: ast.AST, place: ast.expr, value: Value) -> None:
    """Emit an event for iterating over a value that outlives the call and is consumed by iteration."""
    if not isinstance(place, ast.Call) and advances(act, place, value):
        act.emit(TraceConstant, node, source_of_value="next", used=True)
