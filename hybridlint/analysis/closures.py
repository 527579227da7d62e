"""Functions that operators call: the bodies of foreach, while_loop and cond."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.events import Arguments
from hybridlint.analysis.lattice import element
from hybridlint.analysis.operators import argument
from hybridlint.analysis.values import Items, Lineage, Outputs, Static, Tensor, Unknown, Value
from hybridlint.runtime.dims import Dim
from hybridlint.runtime.types import Shape

if TYPE_CHECKING:
    from hybridlint.analysis.state import Activation

CONTROL_FLOW = frozenset({"foreach", "while_loop", "cond"})


def control_flow(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value:
    """Interpret the functions given to a control flow operator with tensors as arguments; return its result."""
    if name == "cond":
        return _cond(act, node, args)
    return _foreach(act, node, args) if name == "foreach" else _while_loop(act, node, args)


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


def _cond(act: Activation, node: ast.Call, args: Arguments) -> Value:
    then = apply(act, node, argument(args, "then_func", 1), ())
    otherwise = apply(act, node, argument(args, "else_func", 2), ())
    return tensor_like(act, then if not isinstance(then, Unknown) else otherwise)


def _foreach(act: Activation, node: ast.Call, args: Arguments) -> Value:
    data = argument(args, "data", 1) or Unknown()
    states = _retyped(act, argument(args, "init_states", 2) or Unknown(), lambda shape: shape)
    rows = _retyped(act, data, lambda shape: shape[1:])
    stepped = apply(act, node, argument(args, "body", 0), (rows, states))
    if not isinstance(stepped, Items) or stepped.items is None or len(stepped.items) != 2:
        return _outputs_and_states(act, stepped, states)
    outputs = _retyped(act, stepped.items[0], lambda shape: (Dim.fresh(), *shape))
    return Items("tuple", (outputs, states))


def _retyped(act: Activation, value: Value, change: Callable[[Shape], Shape]) -> Value:
    """Return a value of the same structure with new tensors of changed shapes, where shapes are known."""
    if isinstance(value, Tensor) and value.type.shape is not None:
        known = value.type.with_shape(tuple(change(value.type.shape)))
        return act.tensor(type=known, lineage=Lineage(act.run.token()))
    if isinstance(value, Items) and value.items is not None:
        return Items(value.kind, tuple(_retyped(act, item, change) for item in value.items))
    return tensor_like(act, value)


def _while_loop(act: Activation, node: ast.Call, args: Arguments) -> Value:
    variables = argument(args, "loop_vars", 2) or Unknown()
    inner = tensor_like(act, variables)
    values = inner.items if isinstance(inner, Items) and inner.items is not None else (inner,)
    if isinstance(inner, Items) and inner.items is None:
        return Unknown()
    apply(act, node, argument(args, "cond", 0), values)
    stepped = apply(act, node, argument(args, "func", 1), values)
    return _outputs_and_states(act, stepped, inner)


def _outputs_and_states(act: Activation, stepped: Value, states: Value) -> Value:
    outputs: Value = Unknown()
    if isinstance(stepped, Items) and stepped.items is not None and len(stepped.items) == 2:
        outputs = tensor_like(act, stepped.items[0])
    if outputs == Unknown() and isinstance(stepped, Static):
        return Unknown()
    return Items("tuple", (outputs, states))
