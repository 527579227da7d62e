"""Functions passed to operators and builtins, which call them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.values import ContainerValue, Outputs, ShapeProvenance, Tensor, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def tensor_like(act: Activation, value: Value) -> Value:
    """Return a value of the same structure with new tensors of unknown type."""
    match value:
        case Tensor():
            return act.tensor(lineage=ShapeProvenance(act.run.token()))
        case ContainerValue(kind=kind, items=None):
            return ContainerValue(kind, None, tensor_like(act, element(value)))
        case ContainerValue(kind=kind, items=items) if items is not None:
            return ContainerValue(kind, tuple(tensor_like(act, item) for item in items))
        case Outputs():
            return ContainerValue("list", None, act.tensor(lineage=ShapeProvenance(act.run.token())))
        case _:
            return Unknown()


def apply(act: Activation, node: ast.Call, function: Value | None, values: tuple[Value, ...]) -> Value:
    """Interpret a function that an operator or builtin calls with these values."""
    nodes: tuple[ast.expr, ...] = (node,) * len(values)
    return Unknown() if function is None else invoke(act, node, function, ArgumentsEvent(nodes, values, {}, {}))
