"""Operators: broadcasting twins, out of place instead of in place, scalars."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import AttributeRead, Binary, Frame, InPlace, OpCall
from hybridlint.analysis.values import Outputs, Static, Tensor, Unknown, Value
from hybridlint.edits import Applicability, Fix
from hybridlint.fixers.aliases import may_be_aliased
from hybridlint.fixers.dtypes import keeps_dtype
from hybridlint.fixers.names import dotted, parent_of, required_inputs
from hybridlint.fixers.proofs import may_be_first_number, proved_value
from hybridlint.fixers.text import argument, factor, replace, safe_if
from hybridlint.runtime import lookup
from hybridlint.runtime.registry import Operator, find
from hybridlint.runtime.types import InferError, TensorType
from hybridlint.syntax import walk

#: Nodes of Python's binary operators -> how they are written.
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
}


#: Methods that make a number of a tensor of one element.
_TO_NUMBER = frozenset({"asscalar", "item"})


def broadcast(event: Binary) -> Fix | None:
    """Write an operator on two tensors as the function that broadcasts; None where even that cannot work."""
    functions, node = event.frame.functions, event.node
    name = lookup.broadcasting(event.symbol)
    if functions is None or name is None or not _is_plain(node):
        return None
    if not _broadcasts(find(name), event.left, event.right):
        return None
    left, right = argument(event.frame, event.left_node), argument(event.frame, event.right_node)
    assert isinstance(node, ast.expr)
    return replace(
        event.frame,
        node,
        f"{functions}.{name}({left}, {right})",
        safe_if(_sure(event.frame, event.left, event.left_node), _sure(event.frame, event.right, event.right_node)),
        kept=[event.left_node, event.right_node],
    )


def broadcast_call(event: OpCall) -> Fix | None:
    """Write ``F.maximum(x, y)`` and its kin as the function that broadcasts."""
    functions, node = event.frame.functions, event.node
    values = event.arguments.values
    if functions is None or not isinstance(node, ast.Call) or len(values) != 2 or node.keywords:
        return None
    name = f"broadcast_{event.name}"
    if not _broadcasts(find(name), values[0], values[1]):
        return None
    left, right = (argument(event.frame, part) for part in event.arguments.nodes)
    content = f"{functions}.{name}({left}, {right})"
    return replace(event.frame, node, content, safe_if(True), kept=event.arguments.nodes)


def beside_tensor(frame: Frame, node: ast.expr, content: str) -> tuple[ast.BinOp, str] | None:
    """Return the operator that takes `node` beside a tensor, and its text with `content` in its place, broadcasting.

    None where the other operand is not surely a tensor: the function would not take a number.
    """
    parent = parent_of(frame, node)
    if not isinstance(parent, ast.BinOp) or frame.functions is None:
        return None
    symbol = SYMBOLS.get(type(parent.op))
    other = parent.right if parent.left is node else parent.left
    if symbol is None or not surely_tensor(frame, other):
        return None
    left, right = (content if side is node else argument(frame, side) for side in (parent.left, parent.right))
    return parent, f"{frame.functions}.{lookup.broadcasting(symbol)}({left}, {right})"


def surely_tensor(frame: Frame, node: ast.expr, within: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is a tensor by what it is made of: required inputs, functions of F, methods of tensors.

    A name is one where all that the function binds it to is. `within` are names whose bindings are being looked at.
    """
    held = frame.seen.value(node)
    if not isinstance(held, Tensor | Outputs | Unknown):
        return False
    match node:
        case ast.Name(id=name):
            return name in within or _bound_to_tensors(frame, name, within | {name})
        case ast.Call(func=ast.Attribute(value=receiver)):
            path = dotted(receiver)
            return (path is not None and path[0] == frame.functions) or surely_tensor(frame, receiver, within)
        case ast.BinOp(left=left, right=right):
            return surely_tensor(frame, left, within) or surely_tensor(frame, right, within)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner, slice=ast.Tuple()):
            return surely_tensor(frame, inner, within)
    return False


def _bound_to_tensors(frame: Frame, name: str, within: frozenset[str]) -> bool:
    nodes = list(walk(frame.function or ast.Pass()))
    stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    given = name in required_inputs(frame)
    values = [n.value for n in nodes if any(target in stores for target in _bound_by(n))]  # type: ignore[attr-defined]
    if len(values) != len(stores) or not (given or values):
        return False
    if any(isinstance(n, ast.AugAssign) and n.target in stores for n in nodes):
        return given and len(values) == 1
    outer = isinstance(frame.function, ast.FunctionDef) and any(a.arg == name for a in frame.function.args.args)
    return (given or not outer) and all(surely_tensor(frame, value, within) for value in values)


def _bound_by(node: ast.AST) -> list[ast.expr]:
    """Return the targets that an assignment gives its value, or each one of the outputs of its operator."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call(func=ast.Attribute() as function)):
            loops = {"foreach", "while_loop", "cond"} & set(dotted(function) or ())
            return [] if loops else targets
        case ast.Assign(targets=targets):
            return targets
        case ast.AugAssign(target=target):
            return [target]
    return []


def of_one_dtype(node: ast.expr) -> bool:
    """Whether an expression is made of one name by what keeps its dtype: arithmetic with numbers, reductions."""
    return dtype_of(node) is not None


def dtype_of(node: ast.expr) -> str | None:
    """Return the only name that an expression is made of by what keeps its dtype."""
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)} - {"float", "int"}
    return names.pop() if len(names) == 1 and _keeps_dtype(node) else None


def _keeps_dtype(node: ast.expr) -> bool:
    match node:
        case ast.Name() | ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(left=left, right=right):
            return _keeps_dtype(left) and _keeps_dtype(right)
        case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.Call(func=ast.Name(id="float" | "int"), args=[inner]):
            return _keeps_dtype(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr=method)):
            return (method in _TO_NUMBER or keeps_dtype(node, method)) and _keeps_dtype(inner)
    return False


def out_of_place(event: InPlace) -> Fix | None:
    """Write ``x += y`` as an assignment to all names of the array.

    Only names are rebound: what else may hold the array (an attribute, an item) is not known.
    """
    node = event.node
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name):
        return None
    symbol = event.symbol[:-1]
    name = node.target.id
    others = sorted(event.frame.aliases - {name})
    if not all(other.isidentifier() for other in others) or may_be_aliased(event.frame, name) or _tried(event.frame):
        return None
    result = _result(event, symbol, name, node.value)
    if result is None:
        return None
    content = " = ".join([name, *others, result])
    known = isinstance(event.value, Tensor) or (isinstance(event.value, Static) and symbol != "@")
    views = _takes_part(node.value, {name, *others})
    return replace(event.frame, node, content, safe_if(known, not views), kept=[node.value])


def _takes_part(value: ast.expr, names: set[str]) -> bool:
    """Whether a value takes a part of the array itself, which changes while it is read."""
    parts = [n.value for n in walk(value) if isinstance(n, ast.Subscript)]
    return any(isinstance(n, ast.Name) and n.id in names for part in parts for n in walk(part))


def _tried(frame: Frame) -> bool:
    """Whether a handler waits for what the statement raises: arrays refuse to change while gradients are recorded."""
    tries = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Try))
    return any(part is frame.statement for n in tries for statement in n.body for part in walk(statement))


def integer_scalar(event: Binary, scalar: ast.expr) -> Fix | None:
    """Write a boolean operand as the number that it stands for."""
    match scalar:
        case ast.Constant(value=bool() as flag):
            content = str(int(flag))
        case ast.Call(args=[ast.Constant(value=bool() as flag)]):
            content = str(int(flag))
        case _:
            content = f"int({event.frame.source.code(scalar)})"
    return replace(event.frame, scalar, content, safe_if(not _may_be_number(event.frame, scalar)))


def _may_be_number(frame: Frame, scalar: ast.expr) -> bool:
    """Whether an operand that is a boolean here may be a number elsewhere: in another call, or set from outside."""
    match scalar:
        case ast.Name(id=name):
            return any(isinstance(n, ast.arg) and n.arg == name for n in walk(frame.function or ast.Pass()))
        case ast.Call(func=ast.Name(id="getattr" | "max" | "min")) | ast.Call(func=ast.Attribute(attr="get" | "pop")):
            return True
        case _:
            return False


def float_scalar(frame: Frame, scalar: ast.expr) -> Fix | None:
    """Write an integer operand as a float."""
    return replace(frame, scalar, f"float({frame.source.code(scalar)})", safe_if(True), kept=[scalar])


def numpy_special(event: AttributeRead) -> Fix | None:
    """Write ``abs(x)`` and ``~x`` as functions of ``F.np``."""
    functions, node = event.frame.functions, event.node
    if functions is None:
        return None
    match node:
        case ast.Call(args=[inner], keywords=[]):
            name = "abs"
        case ast.UnaryOp(op=ast.Invert(), operand=inner):
            name = "logical_not" if isinstance(inner, ast.Compare) else "bitwise_not"
        case _:
            return None
    content = f"{functions}.np.{name}({argument(event.frame, inner)})"
    return replace(event.frame, node, content, Applicability.SAFE, kept=[inner])


def numpy_function(event: Binary) -> Fix | None:
    """Write an operator that numpy mode's Symbols lack as a function of ``F.np``."""
    functions, node, frame = event.frame.functions, event.node, event.frame
    if functions is None:
        return None
    name = lookup.numpy_function(event.symbol)
    if not isinstance(node, ast.BinOp) or name is None:
        return None
    content = f"{functions}.np.{name}({argument(frame, node.left)}, {argument(frame, node.right)})"
    compared = isinstance(node.left, ast.Compare) and isinstance(node.right, ast.Compare)
    return replace(frame, node, content, safe_if(compared or event.symbol == "@"), kept=[node.left, node.right])


def _result(event: InPlace, symbol: str, name: str, value: ast.expr) -> str | None:
    target = event.target
    if not isinstance(target, Tensor) or target.origin == "parameter":
        return None
    same = isinstance(event.value, Tensor) and _same_shape(target, event.value)
    if event.frame.unrolled and not same:
        # In other steps of the loop the name may hold a number, which no function of F broadcasts.
        return None
    if target.mode == "np" or same or not isinstance(event.value, Tensor):
        return f"{name} {symbol} {factor(event.frame, value)}"
    twin = lookup.broadcasting(symbol)
    if event.frame.functions is None or twin is None:
        return None
    return f"{event.frame.functions}.{twin}({name}, {argument(event.frame, value)})"


def _same_shape(left: Tensor, right: Tensor) -> bool:
    alike = left.lineage is not None and left.lineage == right.lineage
    return alike or left.type.provably_equals(right.type)


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) or (isinstance(node, ast.Compare) and len(node.ops) == 1)


def _broadcasts(twin: Operator | None, left: Value, right: Value) -> bool:
    if twin is None or not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return False
    try:
        twin.infer_types((_shape_only(left), _shape_only(right)), {})
    except InferError:
        return False
    return True


def _shape_only(value: Tensor) -> TensorType:
    return value.type.with_dtype(None)


def _sure(frame: Frame, value: Value, node: ast.expr) -> bool:
    """Whether an operand is surely a tensor, and no number that nothing was added to."""
    return proved_value(frame, value, node) and not may_be_first_number(frame, node)
