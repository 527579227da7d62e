"""Fixers of Python operators: functions that broadcast, out-of-place forms of in-place operators, scalar operands."""

from __future__ import annotations

import ast
from typing import TypeGuard

from hybridlint.analysis.model.events import AttributeRead, Binary, CodeContext, InPlace, OpCall
from hybridlint.analysis.model.values import StaticValue, Tensor, Value
from hybridlint.fixers.evidence.aliases import is_held_alone, may_be_aliased
from hybridlint.fixers.evidence.dtypes import keeps_dtype
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.evidence.tensors import is_no_number, may_be_first_number, may_be_number, proved_value
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import assignment, binary
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import Operator, find
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: Nodes of Python's binary operators -> how they are written.
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
}

#: Methods that convert a tensor of one element to a number.
_TO_NUMBER = frozenset({"asscalar", "item"})


def broadcast(event: Binary) -> Fix | None:
    """Write ``x + y`` of two tensors as ``F.broadcast_add(x, y)``; None if the shapes do not broadcast.

    Broadcasting is what the operator does eagerly, in each step of a loop, if both are tensors in all of them.
    """
    functions, node = event.frame.functions, event.node
    name = lookup.broadcasting(event.symbol)
    if functions is None or name is None or not is_one_operator(node):
        return None
    if not _broadcasts(find(name), event.left, event.right):
        return None
    frame, left, right = event.frame, event.left_node, event.right_node
    new = _called(functions, name, frame.concrete(left), frame.concrete(right))
    assert isinstance(node, ast.expr)
    fix = rewrite(frame, node, new, safe_if(_are_tensors(event)))
    both = surely_tensor(frame, left) and surely_tensor(frame, right)
    return None if fix is None else replace(fix, repeats=both)


def broadcast_call(event: OpCall) -> Fix | None:
    """Write ``F.maximum(x, y)`` and similar functions as ``F.broadcast_maximum(x, y)``."""
    functions, node = event.frame.functions, event.node
    values = event.arguments.values
    if functions is None or not isinstance(node, ast.Call) or len(values) != 2 or node.keywords:
        return None
    name = f"broadcast_{event.name}"
    if not _broadcasts(find(name), values[0], values[1]):
        return None
    left, right = (event.frame.concrete(part) for part in event.arguments.nodes)
    return rewrite(event.frame, node, _called(functions, name, left, right), Applicability.SAFE)


def broadcasting_call(
    functions: str, symbol: str | None, left: cst.BaseExpression, right: cst.BaseExpression
) -> cst.BaseExpression | None:
    """Return the call of the broadcasting function of an operator; None if there is no such function."""
    name = None if symbol is None else lookup.broadcasting(symbol)
    return None if name is None else _called(functions, name, left, right)


def _called(functions: str, name: str, left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    return expression("{F}.{name}({left}, {right})", F=functions, name=name, left=left, right=right)


def beside_tensor(
    frame: CodeContext, node: ast.expr, new: cst.BaseExpression
) -> tuple[ast.BinOp, cst.BaseExpression] | None:
    """Return the operator with `node` as one operand and a tensor as the other, and its replacement.

    The replacement is the broadcasting function with `new` in the place of `node`: ``x * node`` becomes
    ``F.broadcast_mul(x, new)``. Return None if the other operand is not surely a tensor, as the function takes no
    number.
    """
    parent = parent_of(frame, node)
    if not isinstance(parent, ast.BinOp) or frame.functions is None:
        return None
    other = parent.right if parent.left is node else parent.left
    if not surely_tensor(frame, other):
        return None
    left, right = (new if side is node else frame.concrete(side) for side in (parent.left, parent.right))
    call = broadcasting_call(frame.functions, SYMBOLS.get(type(parent.op)), left, right)
    return None if call is None else (parent, call)


def of_one_dtype(node: ast.expr) -> bool:
    """Whether an expression is computed from one name by operations that keep its dtype, such as ``x * 2``."""
    return dtype_of(node) is not None


def dtype_of(node: ast.expr) -> str | None:
    """Return the single name from which an expression is computed by operations that keep its dtype; None otherwise."""
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)} - {"float", "int", "max", "min"}
    return names.pop() if len(names) == 1 and _keeps_dtype(node) else None


def _keeps_dtype(node: ast.expr) -> bool:
    match node:
        case ast.Name() | ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(left=left, right=right):
            return _keeps_dtype(left) and _keeps_dtype(right)
        case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.Call(func=ast.Name(id="float" | "int"), args=[inner]):
            return _keeps_dtype(inner)
        case ast.Call(func=ast.Name(id="max" | "min"), args=[left, right], keywords=[]):
            return _keeps_dtype(left) and _keeps_dtype(right)
        case ast.Call(func=ast.Attribute(value=inner, attr=method)):
            return (method in _TO_NUMBER or keeps_dtype(node, method)) and _keeps_dtype(inner)
    return False


def out_of_place(event: InPlace) -> Fix | None:
    """Write ``x += y`` as ``x = x + y``, assigned to all names that hold the array.

    Only names are rebound. An attribute or an item that holds the array is not known here.
    """
    node = event.node
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name):
        return None
    name = node.target.id
    alone = is_held_alone(event.frame, name)
    names = [name, *(() if alone else sorted(event.frame.aliases - {name}))]
    if not all(each.isidentifier() for each in names) or may_be_aliased(event.frame, name) or _tried(event.frame):
        return None
    result = _result(event, node)
    if result is None:
        return None
    new = assignment(names, result)
    known = isinstance(event.value, Tensor) or (isinstance(event.value, StaticValue) and event.symbol != "@=")
    views = _takes_part(node.value, set(names))
    return rewrite(event.frame, node, new, safe_if(known, not views))


def _takes_part(value: ast.expr, names: set[str]) -> bool:
    """Whether a value reads a part of the array that the in-place operator changes, as in ``x += x[0]``."""
    parts = [n.value for n in walk(value) if isinstance(n, ast.Subscript)]
    return any(isinstance(n, ast.Name) and n.id in names for part in parts for n in walk(part))


def _tried(frame: CodeContext) -> bool:
    """Whether the statement is in a `try`: arrays raise on in-place changes while autograd records."""
    tries = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Try))
    return any(part is frame.statement for n in tries for statement in n.body for part in walk(statement))


def integer_scalar(event: Binary, scalar: ast.expr) -> Fix | None:
    """Write a boolean operand as an integer: ``x + True`` as ``x + 1``.

    What is a boolean by default alone may be set to a number, and is multiplied by 1.
    """
    match scalar:
        case ast.Constant(value=bool() as flag) | ast.Call(args=[ast.Constant(value=bool() as flag)]):
            new = expression("{number}", number=int(flag))
        case _:
            value = event.frame.seen.value(scalar)
            by_default = isinstance(value, StaticValue) and not value.is_boolean
            new = expression("1 * {x}" if by_default else "int({x})", x=event.frame.concrete(scalar))
    return rewrite(event.frame, scalar, new, safe_if(not _may_be_number(event.frame, scalar)))


def _may_be_number(frame: CodeContext, scalar: ast.expr) -> bool:
    """Whether a boolean operand may be a number in another call of the block, or may be set from outside."""
    match scalar:
        case ast.Name(id=name):
            return any(isinstance(n, ast.arg) and n.arg == name for n in walk(frame.function or ast.Pass()))
        case ast.Call(func=ast.Name(id="getattr" | "max" | "min")) | ast.Call(func=ast.Attribute(attr="get" | "pop")):
            return True
        case _:
            return False


def float_scalar(frame: CodeContext, scalar: ast.expr) -> Fix | None:
    """Write an integer operand as a float: ``x * 2`` as ``x * 2.0``."""
    return rewrite(frame, scalar, expression("float({scalar})", scalar=frame.concrete(scalar)), Applicability.SAFE)


def numpy_special(event: AttributeRead) -> Fix | None:
    """Write ``abs(x)`` as ``F.np.abs(x)``, and ``~x`` as ``F.np.bitwise_not(x)`` or ``logical_not``."""
    functions, node = event.frame.functions, event.node
    if functions is None:
        return functions_passed(event.frame)
    match node:
        case ast.Call(args=[inner], keywords=[]):
            name = "abs"
        case ast.UnaryOp(op=ast.Invert(), operand=inner):
            name = "logical_not" if isinstance(inner, ast.Compare) else "bitwise_not"
        case _:
            return None
    new = expression("{F}.np.{name}({inner})", F=functions, name=name, inner=event.frame.concrete(inner))
    return rewrite(event.frame, node, new, Applicability.SAFE)


def numpy_function(event: Binary) -> Fix | None:
    """Write an operator that Symbols of numpy mode lack, such as ``x @ y``, as a function of ``F.np``."""
    functions, node, frame = event.frame.functions, event.node, event.frame
    if functions is None:
        return functions_passed(frame)
    name = lookup.numpy_function(event.symbol)
    if not isinstance(node, ast.BinOp) or name is None:
        return None
    new = _called(f"{functions}.np", name, frame.concrete(node.left), frame.concrete(node.right))
    compared = isinstance(node.left, ast.Compare) and isinstance(node.right, ast.Compare)
    return rewrite(frame, node, new, safe_if(compared or event.symbol == "@"))


def _result(event: InPlace, node: ast.AugAssign) -> cst.BaseExpression | None:
    target = event.target
    if not isinstance(target, Tensor) or target.origin == "parameter":
        return None
    same = isinstance(event.value, Tensor) and _same_shape(target, event.value)
    if event.frame.unrolled and not same:
        # In other steps of the loop the name may hold a number, which no function of F broadcasts.
        return None
    old, value = event.frame.concrete(node.target), event.frame.concrete(node.value)
    if target.mode == "np" or same or not isinstance(event.value, Tensor):
        return binary(old, node.op, value)
    functions = event.frame.functions
    return None if functions is None else broadcasting_call(functions, SYMBOLS.get(type(node.op)), old, value)


def _same_shape(left: Tensor, right: Tensor) -> bool:
    same_lineage = left.lineage is not None and left.lineage == right.lineage
    return same_lineage or left.type.provably_equals(right.type)


def is_one_operator(node: ast.AST) -> TypeGuard[ast.BinOp | ast.Compare]:
    """Whether a node is an operator with two operands: no comparison of several."""
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


def _are_tensors(event: Binary) -> bool:
    """Whether both operands are surely tensors.

    A list beside an array raises, and two lists raise, except for `+`.
    """
    frame, sides = event.frame, ((event.left, event.left_node), (event.right, event.right_node))
    proved = [_sure(frame, value, node) for value, node in sides]
    no_numbers = [is_no_number(frame, node) for _, node in sides]
    alike = all(known or other for known, other in zip(proved, no_numbers, strict=True))
    return alike and (any(proved) or event.symbol in {"-", "*", "/", "%", "**"})


def _sure(frame: CodeContext, value: Value, node: ast.expr) -> bool:
    """Whether an operand is surely a tensor: neither the number that a running sum starts with nor an argument."""
    return proved_value(frame, value, node) and not may_be_first_number(frame, node) and not may_be_number(frame, node)
