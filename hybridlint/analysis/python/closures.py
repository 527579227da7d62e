"""Functions passed to operators and builtins, which call them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.model.events import Arguments
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.values import Items, Lineage, Outputs, Tensor, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def tensor_like(act: Activation, value: Value) -> Value:
    """Return a value of the same structure with new tensors of unknown type."""
    match value:
        case Tensor():
            return act.tensor(lineage=Lineage(act.run.token()))
        case Items(kind=kind, items=None):
            return Items(kind, None, tensor_like(act, element(value)))
        case Items(kind=kind, items=items) if items is not None:
            return Items(kind, tuple(tensor_like(act, item) for item in items))
        case Outputs():
            return Items("list", None, act.tensor(lineage=Lineage(act.run.token())))
        case _:
            return Unknown()


def apply(act: Activation, node: ast.Call, function: Value | None, values: tuple[Value, ...]) -> Value:
    """Interpret a function that an operator or builtin calls with these values."""
    nodes: tuple[ast.expr, ...] = (node,) * len(values)
    return Unknown() if function is None else invoke(act, node, function, Arguments(nodes, values, {}, {}))
