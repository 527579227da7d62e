"""Whether each trace of a block raises at an event that needs a tensor's data or sizes, or mixes arrays."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import (
    AttributeRead,
    Binary,
    BlockCall,
    Branch,
    CodeContext,
    Concretize,
    Event,
    ForeignCall,
    MethodCall,
    OpCall,
    Return,
    TensorStore,
)
from hybridlint.analysis.model.values import CapturedArray, DataDependentValue, Outputs, Tensor, Value
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.evidence.tensors import handled_as_tensor, is_hybrid, proved_value
from hybridlint.fixers.toolkit.names import values_bound
from hybridlint.text.syntax import walk

#: Values of names that may be numbers of Python's own.
_COMPUTED = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare)


def raises_at(event: Event) -> bool:
    """Return whether a trace that comes to an event raises there, whatever the block is given.

    A finding may take a number or a list for a tensor, where only the name of an argument or arithmetic on one suggests
    it. Here a layer or an operator gives the tensor, or its uses leave nothing else.
    """
    return event.frame.certain and not event.frame.presumed and _raises(event)


def _raises(event: Event) -> bool:
    match event:
        case Return():
            return True
        case Binary() | OpCall():
            return _mixes(event)
        case MethodCall(arguments=arguments) if any(isinstance(value, CapturedArray) for value in arguments.values):
            return _mixes(event)
        case BlockCall():
            return _makes_no_states(event) or (is_hybrid(event.block) and _mixes(event))
        case ForeignCall():
            return _takes_array(event)
    operand = _operand(event)
    return operand is not None and _is_surely_array(event.frame, *operand)


def _makes_no_states(event: BlockCall) -> bool:
    """Return whether the event calls a recurrent layer of numpy mode. Without states it creates states of no rows."""
    layer = layer_of(event.block) if event.block.info is None else None
    return event.frame.mode == "np" and layer is not None and layer.sequences


def _takes_array(event: ForeignCall) -> bool:
    """Return whether a function of MXNet for arrays gets one, alone or in a list."""
    if not event.function.startswith("mxnet."):
        return False
    given = (*event.arguments.nodes, *event.arguments.keyword_nodes.values())
    parts = (part for node in given for part in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node]))
    return any(_is_surely_array(event.frame, event.frame.seen.value(part), part) for part in parts)


def _mixes(event: Binary | OpCall | MethodCall | BlockCall) -> bool:
    """Return whether an operator or a hybrid block gets an array beside what is a Symbol at each trace."""
    frame = event.frame
    match event:
        case Binary(left=left, right=right, left_node=first, right_node=second):
            given = [(left, first), (right, second)]
        case OpCall(arguments=arguments) | BlockCall(arguments=arguments):
            given = [*zip(arguments.values, arguments.nodes, strict=True)]
        case MethodCall(receiver=receiver, arguments=arguments, node=ast.Call(func=ast.Attribute(value=node))):
            given = [(receiver, node), *zip(arguments.values, arguments.nodes, strict=True)]
        case _:
            return False
    arrays = [value for value, _ in given if isinstance(value, CapturedArray)]
    return bool(arrays) and any(_is_surely_array(frame, value, node) for value, node in given)


def _operand(event: Event) -> tuple[Value, ast.expr] | None:
    """Return the value and expression that an event uses as a tensor; None for events without a tensor."""
    match event:
        case AttributeRead(value=value, node=ast.Attribute(value=node)):
            return value, node
        case MethodCall(receiver=value, node=ast.Call(func=ast.Attribute(value=node))):
            return value, node
        case TensorStore(value=value, target=ast.Subscript(value=node)):
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


def _is_surely_array(frame: CodeContext, value: Value, node: ast.expr, within: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression gives an array, or a value read from an array, never a Python number.

    `within` holds the names whose bindings are being examined: what they are computed of decides about them.
    """
    if not isinstance(value, Tensor):
        return isinstance(value, Outputs | DataDependentValue)
    match node:
        case ast.BinOp(left=first, right=second) | ast.Compare(left=first, comparators=[second]):
            return any(_is_surely_array(frame, frame.seen.value(part), part, within) for part in (first, second))
        case ast.UnaryOp(operand=first):
            return _is_surely_array(frame, frame.seen.value(first), first, within)
        case ast.Name(id=name) if name in within:
            return True
    names = within | {node.id} if isinstance(node, ast.Name) else within
    bound = [made for made in values_bound(frame, node) if isinstance(made, _COMPUTED)]
    if bound and isinstance(node, ast.Name) and _is_argument(frame, node.id) and not handled_as_tensor(frame, node.id):
        return False
    fine = all(_is_surely_array(frame, frame.seen.value(made), made, names) for made in bound)
    return fine and proved_value(frame, value, node)


def _is_argument(frame: CodeContext, name: str) -> bool:
    return any(isinstance(n, ast.arg) and n.arg == name for n in walk(frame.function or ast.Pass()))
