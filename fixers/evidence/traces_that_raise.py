"""Whether each trace of a block raises at an event: what it does there surely needs data or sizes of a tensor."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import (
    AttributeRead,
    BlockCall,
    Branch,
    Concretize,
    Event,
    Frame,
    MethodCall,
    Return,
    Store,
)
from hybridlint.analysis.model.values import Concrete, Outputs, Tensor, Value
from hybridlint.analysis.mxnet.bundled import layer_of
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.toolkit.names import values_bound

#: Names that are followed to the values that they are bound to.
_MOST_NAMES = 8


def raises_at(event: Event) -> bool:
    """Return whether a trace that comes to an event raises there, whatever the block is given.

    A finding may take a number or a list for a tensor, where only the name of an argument or arithmetic on one suggests
    it. Here a layer or an operator gives the tensor, or its uses leave nothing else.
    """
    if event.frame.presumed or not event.frame.certain:
        return False
    match event:
        case Return():
            return True
        case BlockCall(block=block):
            # Without states, recurrent layers of numpy mode make some of no rows.
            layer = layer_of(block) if block.info is None else None
            return event.frame.mode == "np" and layer is not None and layer.sequences
    operand = _operand(event)
    return operand is not None and _is_surely_array(event.frame, *operand)


def _operand(event: Event) -> tuple[Value, ast.expr] | None:
    """Return what an event takes for a tensor, with its value; None for events that need no tensor."""
    match event:
        case AttributeRead(value=value, node=ast.Attribute(value=node)):
            return value, node
        case MethodCall(receiver=value, node=ast.Call(func=ast.Attribute(value=node))):
            return value, node
        case Store(value=value, target=ast.Subscript(value=node)):
            return value, node
        case Branch(value=value, condition=node):
            return value, node
        case (
            Concretize(value=value, node=ast.Call(args=[node, *_]))
            | Concretize(value=value, node=ast.Assign(value=node))
            | Concretize(value=value, node=ast.expr() as node)
        ):
            return value, node
    return None


def _is_surely_array(frame: Frame, value: Value, node: ast.expr, left: int = _MOST_NAMES) -> bool:
    """Return whether an expression gives an array, or what is read from one, and no number of Python's own."""
    if isinstance(value, Outputs | Concrete):
        return True
    if not isinstance(value, Tensor):
        return False
    match node:
        case ast.BinOp(left=first, right=second) | ast.Compare(left=first, comparators=[second]):
            return any(_is_surely_array(frame, frame.seen.value(part), part, left) for part in (first, second))
        case ast.UnaryOp(operand=first):
            return _is_surely_array(frame, frame.seen.value(first), first, left)
    if not proved_value(frame, value, node):
        return False
    bound = [made for made in values_bound(frame, node) if isinstance(made, ast.BinOp | ast.UnaryOp | ast.Compare)]
    return left > 0 and all(_is_surely_array(frame, frame.seen.value(made), made, left - 1) for made in bound)
