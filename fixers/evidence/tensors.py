"""Proofs that a value is a tensor: from an expression's values, and from uses that only arrays allow."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, Namespace, Tensor, Value
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.abstract.layers import Layer, layer_of_any
from hybridlint.runtime.facts.registry import find
from hybridlint.text.syntax import bodies, holds, walk

#: Origins that do not prove that a value is an array: a caller may pass a list or a number.
_GIVEN = frozenset({"argument", "element"})
#: Methods that values other than arrays may have too.
_OF_PYTHON = frozenset(name for kind in (list, tuple, dict, set, str, int, float) for name in dir(kind))


def proved_tensor(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression was a tensor each time the analysis evaluated it."""
    return proved_value(frame, frame.seen.value(node), node)


def proved_value(frame: CodeContext, value: Value, node: ast.expr) -> bool:
    """Whether a value is surely a tensor. An argument may also be a number or a list unless its uses exclude it."""
    if not isinstance(value, Tensor) or value.optional:
        return False
    return not is_given(value) or (isinstance(node, ast.Name) and handled_as_tensor(frame, node.id))


def is_one_number(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression is a tensor of one number and one axis, which leaves the shape of any other as it is."""
    held = frame.seen.value(node)
    return isinstance(held, Tensor) and not held.optional and held.type.shape == (1,)


def handled_as_tensor(frame: CodeContext, name: str) -> bool:
    """Whether the function uses an argument as only arrays allow: it calls their methods or operators on it.

    Uses after the name is bound to another value do not count.
    """
    return any(
        isinstance(used, ast.Name) and used.id == name and is_given(frame.seen.value(used))
        for node in walk(frame.function or ast.Pass())
        for used in _taken_as_tensors(frame, node)
    )


def is_no_number(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an argument is surely an array or a list of arrays, as the only input of a hybrid block.

    It is the only input of this block, or the only argument in a call of another block.
    """
    if not isinstance(node, ast.Name):
        return False
    return inputs_of(frame) == [node.id] or any(
        isinstance(call, ast.Call)
        and [isinstance(part, ast.Name) and part.id == node.id for part in call.args] == [True]
        and not call.keywords
        and is_given(frame.seen.value(call.args[0]))
        and is_hybrid(frame.seen.value(call.func))
        for call in walk(frame.function or ast.Pass())
    )


def inputs_of(frame: CodeContext) -> list[str]:
    """Return the arguments of hybrid_forward that callers pass; parameters of the block are none."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef) or function.name != ENTRY:
        return []
    spec = function.args
    given = [part.arg for part in (*spec.args[2:], *spec.kwonlyargs, spec.vararg) if part is not None]
    return [name for name in given if not _is_parameter(frame, name)]


def _is_parameter(frame: CodeContext, name: str) -> bool:
    """Whether an input of hybrid_forward is a parameter of the block."""
    reads = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name) and n.id == name)
    held = (frame.seen.value(read) for read in reads)
    return any(isinstance(value, Tensor) and value.origin == "parameter" for value in held)


def is_hybrid(value: Value) -> bool:
    """Whether a value is surely a HybridBlock, which alone takes nothing but arrays and lists of them."""
    return isinstance(value, BlockRef) and value.certain and all(one.hybrid for one in value.known)


def may_be_number(frame: CodeContext, node: ast.expr) -> bool:
    """Whether arithmetic on arguments may be arithmetic of numbers, because no operand is a proved array."""
    match node:
        case ast.BinOp(left=left, right=right):
            return may_be_number(frame, left) and may_be_number(frame, right)
        case ast.UnaryOp(operand=operand):
            return may_be_number(frame, operand)
        case ast.Constant(value=int() | float()):
            return True
    return is_given(frame.seen.value(node)) and not proved_tensor(frame, node) and not is_no_number(frame, node)


def may_be_first_number(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression reads a tensor that may be the start number of a sum.

    ``sum(rows)`` is 0 without rows, and ``total = 0`` before a loop stays 0 without steps.
    """
    names = {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(frame.seen.value(n), Tensor)}
    for made in walk(frame.function or ast.Pass()):
        match made:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float())) if name in names:
                return True
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="sum"))) if name in names:
                return True
    return False


def is_array_method(name: str) -> bool:
    """Whether arrays have a method that Python's numbers and containers lack."""
    return name not in _OF_PYTHON


def is_given(value: Value) -> bool:
    """Whether a value comes from the caller and has no known shape, so that only its uses suggest a tensor."""
    return isinstance(value, Tensor) and value.origin in _GIVEN and value.type.shape is None


def met_as_tensor(frame: CodeContext, name: str, node: ast.AST) -> bool:
    """Whether code that always runs before a node uses an argument as only arrays allow."""
    body = frame.function.body if isinstance(frame.function, ast.FunctionDef) else []
    return any(
        isinstance(used, ast.Name) and used.id == name
        for statement in _before(body, node)
        for part in _certain(statement)
        for used in (*_taken_as_tensors(frame, part), *_taken_as_numbers(part))
    )


def _before(block: Sequence[ast.stmt], node: ast.AST) -> Iterator[ast.AST]:
    """Yield the code that surely runs before a node: statements above it, and the heads of those around it."""
    for statement in block:
        yield statement
        if holds(statement, node):
            for inside in bodies(statement):
                if any(part is node for other in inside for part in walk(other)):
                    yield from _before(inside, node)
            return


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement or expression that are evaluated whenever it runs."""
    match node:
        case ast.If(test=first) | ast.While(test=first) | ast.For(iter=first) | ast.IfExp(test=first):
            yield from _certain(first)
        case ast.BoolOp(values=[first, *_]):
            yield from _certain(first)
        case ast.Try() | ast.FunctionDef() | ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            return
        case _:
            yield node
            for part in ast.iter_child_nodes(node):
                yield from _certain(part)


def is_no_list(frame: CodeContext, name: str) -> bool:
    """Whether the function uses an argument as no list of arrays allows: in arithmetic, or with a tuple as key."""
    return any(
        isinstance(used, ast.Name) and used.id == name and is_given(frame.seen.value(used))
        for node in walk(frame.function or ast.Pass())
        for used in _taken_as_numbers(node)
    )


def _taken_as_numbers(node: ast.AST) -> list[ast.expr]:
    """Return the expressions that a node uses as numbers or arrays of numbers."""
    match node:
        case ast.BinOp(left=left, op=ast.Sub() | ast.Div() | ast.Mod() | ast.Pow(), right=right):
            return [left, right]
        case ast.AugAssign(target=target, op=ast.Sub() | ast.Div() | ast.Mod() | ast.Pow()):
            return [target]
        case ast.Compare(left=left, ops=[ast.Gt() | ast.Lt() | ast.GtE() | ast.LtE()], comparators=[ast.Constant()]):
            return [left]
        case ast.Subscript(value=value, slice=ast.Tuple() | ast.Compare()):
            return [value]
    return []


def _taken_as_tensors(frame: CodeContext, node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that a node uses as arrays: it reads their attributes, or passes them to operators."""
    match node:
        case ast.Attribute(value=receiver, attr=name, ctx=ast.Load()) if is_array_method(name):
            yield receiver
        case ast.Call(func=ast.Attribute() as function, args=args):
            path = dotted_parts(function) or ()
            operator = find(path[-1]) if len(path) > 1 and path[0] == frame.functions else None
            if operator is not None and not operator.variadic:
                yield from args[: len(operator.inputs)]
            elif args and is_layer(frame.seen.value(function)):
                yield args[0]


def is_layer(value: Value) -> bool:
    """Whether a value is one of Gluon's layers that apply operators to their first input."""
    if not isinstance(value, BlockRef) or not value.certain:
        return False
    layers = [None if one.info is not None else layer_of(one) for one in value.known]
    return all(layer is not None and _applies_operators(layer) for layer in layers)


def _applies_operators(layer: Layer) -> bool:
    return layer.gives_one and not (layer.holds_others or layer.calls_function or layer.returns_input)


def ignores_mode(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call of a layer or an operator computes the same in train mode and in predict mode."""
    held = frame.seen.value(call.func)
    if isinstance(held, BlockRef):
        layer = None if held.layer is None else layer_of_any(held.layer)
        return layer is not None and not layer.holds_others and not layer.asks_mode
    match call.func:
        case ast.Attribute(value=owner, attr=name) if isinstance(frame.seen.value(owner), Tensor | Namespace):
            operator = lookup.of_tensors(name) or lookup.of_numbers(name)
            return operator is not None and not operator.modal
    return False
