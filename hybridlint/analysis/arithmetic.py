"""Operators of Python between values: arithmetic, comparisons, and what Symbol makes of them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridlint.analysis.dtypes import operator_dtype
from hybridlint.analysis.events import AttributeRead, Binary, Branch, InPlace, Negation, SideEffect
from hybridlint.analysis.guards import tell_divided
from hybridlint.analysis.hashing import hashed
from hybridlint.analysis.lattice import element, in_world, join, per_world
from hybridlint.analysis.lookups import compared, compared_in_order, position
from hybridlint.analysis.operators import origin_of
from hybridlint.analysis.shapes import conflict, crossed, may_differ, merged_lineage, scale_beside_data
from hybridlint.analysis.truth import identity, outcome
from hybridlint.analysis.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    Concrete,
    Divergent,
    External,
    ForeignTensor,
    Items,
    Lineage,
    Mode,
    Namespace,
    NumpyArray,
    OperatorRef,
    Outputs,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime import registry, surface
from hybridlint.runtime.infer import broadcast_shapes, unify_dtypes, unify_shapes
from hybridlint.runtime.registry import Operator
from hybridlint.runtime.types import InferError, TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.state import Activation

Operand: TypeAlias = tuple[ast.expr, Value]

_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "//": operator.floordiv,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_DUNDERS = {"&": "__and__", "|": "__or__", "^": "__xor__", "@": "__matmul__", "~": "__invert__"}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_LOGIC = frozenset({"&", "|", "^"})
#: Powers of whole numbers with more bits are not computed.
_LARGEST_POWER = 1024
# Operators that no tensor has, so that they fail eagerly too.
_NEITHER: dict[Mode, frozenset[str]] = {
    "legacy": frozenset({"//", "@", "&", "|", "^", "<<", ">>"}),
    "np": frozenset({"//", "<<", ">>"}),
}


def binary(act: Activation, node: ast.AST, op: ast.operator | ast.cmpop, left: Operand, right: Operand) -> Value:
    """Evaluate ``left op right``."""
    symbol = _SYMBOLS[type(op)]
    a, b = left[1], right[1]
    if isinstance(a, Tensor | Outputs) or isinstance(b, Tensor | Outputs):
        return _tensor_binary(act, node, symbol, left, right)
    if isinstance(a, Divergent) or isinstance(b, Divergent):
        sides = {world: (in_world(a, world), in_world(b, world)) for world in act.flow.worlds}
        with act.run.silently():
            return per_world(
                {w: _certain(binary(act, node, op, (left[0], x), (right[0], y))) for w, (x, y) in sides.items()}
            )
    if symbol in _COMPARISONS:
        _tell_order(act, node, symbol, a, b)
    return _python_binary(symbol, a, b)


def _certain(value: Value) -> Value:
    """Return an answer that follows from what kind of array runs, which no setting changes."""
    return Static(value.value, certain=True) if isinstance(value, Static) and type(value.value) is bool else value


def _tell_order(act: Activation, node: ast.AST, symbol: str, a: Value, b: Value) -> None:
    """Tell that containers are compared whose elements are tensors. Lists and dicts of other sizes are unequal."""
    if not isinstance(a, Items) or not isinstance(b, Items):
        return
    told = compared_in_order(a, b)
    unequal = a.kind != "tuple" and symbol in {"==", "!="} and len(a.items or ()) != len(b.items or ())
    if told is not None and not unequal:
        act.tell(Branch, node, kind="in", condition=node, value=told)


def compare(act: Activation, node: ast.Compare, op: ast.cmpop, left: Operand, right: Operand) -> Value:
    """Evaluate one comparison."""
    if isinstance(op, ast.Is | ast.IsNot):
        found = identity(left[1], right[1])
        return _negated(found) if isinstance(op, ast.IsNot) else found
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(act, node, left[1], right[1])
    if isinstance(op, ast.Eq | ast.NotEq) and _is_namespace_test(left[1], right[1]):
        same = identity(left[1], right[1])
        return _negated(same) if isinstance(op, ast.NotEq) else same
    result = binary(act, node, op, left, right)
    sure = isinstance(result, Static) and _is_certain(left) and _is_certain(right)
    return Static(result.value, certain=True) if sure and isinstance(result, Static) else result


def _is_certain(operand: Operand) -> bool:
    """Whether an operand is a constant that is written out, or a setting that nobody sets otherwise."""
    node, value = operand
    return isinstance(value, Static) and (value.certain or isinstance(node, ast.Constant))


def unary(act: Activation, node: ast.UnaryOp, value: Value) -> Value:
    """Evaluate ``-value``, ``+value`` or ``~value``."""
    if isinstance(node.op, ast.Invert):
        lacking(act, node, value, "__invert__")
    match value:
        case Tensor():
            if isinstance(node.op, ast.USub):
                act.tell(Negation, node, value=value)
            return act.tensor(type=value.type, lineage=value.lineage, flows=value.flows)
        case Static(value=known) if isinstance(node.op, ast.USub) and isinstance(known, int | float):
            return Static(-known)
        case Static():
            return Static(STATIC_UNKNOWN)
        case _:
            return value


def in_place(act: Activation, node: ast.AugAssign, target: Value, value: Value) -> Value:
    """Evaluate ``target op= value`` and return what the target holds then."""
    symbol = _SYMBOLS[type(node.op)]
    if isinstance(target, Tensor | Outputs):
        found = _operator(symbol) if target.mode == "legacy" else None
        act.tell(InPlace, node, symbol=symbol + "=", target=target, value=value, operator=found)
        if symbol == "**":
            # No array does this in place: the name is bound to the result of the operator.
            return _tensor_binary(act, node, symbol, (_load(node.target), target), (node.value, value))
        if isinstance(target, Outputs):
            return _result(act, target, value)
        # Other names of the array stay names of it.
        result = target if isinstance(value, Static | Concrete) else _result(act, target, value)
        return replace(result, identity=target.identity)
    if isinstance(target, ForeignTensor):
        if target.kept:
            act.tell(SideEffect, node, kind="buffer", target=act.module.source.code(node.target))
        return target
    return binary(act, node, node.op, (_load(node.target), target), (node.value, value))


def lacking(act: Activation, node: ast.AST, value: Value, dunder: str) -> None:
    """Tell that a special method is asked for that Symbol lacks."""
    if isinstance(value, Tensor) and not value.optional and surface.tensor_lack(dunder, value.mode) is not None:
        act.tell(AttributeRead, node, value=value, name=dunder)


@cache
def _operator(symbol: str) -> Operator | None:
    return next((o for o in registry.operators() if o.facts.operator == symbol and o.facts.broadcast_twin), None)


def _tensor_binary(act: Activation, node: ast.AST, symbol: str, left: Operand, right: Operand) -> Value:
    a, b = left[1], right[1]
    mode = next(v.mode for v in (a, b) if isinstance(v, Tensor | Outputs))
    if symbol in _NEITHER[mode] or getattr(a, "optional", False) or getattr(b, "optional", False):
        return act.tensor(lineage=Lineage(act.run.token()))
    for place, value in (left, right):
        tell_divided(act, place, value)
    result = replace(_result(act, a, b), flows=symbol not in _COMPARISONS and _flows(a, b))
    if mode == "np":
        result = replace(result, type=result.type.with_dtype(operator_dtype(symbol, a, b)))
    act.tell(
        Binary,
        node,
        symbol=symbol,
        left=a,
        right=b,
        left_node=left[0],
        right_node=right[0],
        operator=_operator(symbol) if mode == "legacy" else None,
        failure=_failure(mode, symbol, a, b),
        result=result,
        suspicious=isinstance(a, Tensor) and isinstance(b, Tensor) and may_differ(a, b),
    )
    return result


def _failure(mode: Mode, symbol: str, left: Value, right: Value) -> str | None:
    for value in (v.traced if isinstance(v, Divergent) else v for v in (left, right)):
        if isinstance(value, Static) and value.is_boolean and mode == "legacy":
            return "Symbol takes no bool as a scalar"
    if isinstance(left, Outputs) or isinstance(right, Outputs):
        return "several outputs are a list eagerly and one Symbol at the trace"
    if mode == "np":
        dunder = _DUNDERS.get(symbol)
        lack = surface.tensor_lack(dunder, mode) if dunder else None
        return None if lack is None else f"the Symbol of numpy mode has no `{symbol}`"
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return None
    if left.type.provably_differs(right.type):
        return f"shapes {left.type} and {right.type} are different"
    return conflict(left, right) or crossed(left.type, right.type) or scale_beside_data(left, right)


def _flows(a: Value, b: Value) -> bool:
    """Whether a gradient can pass from what two operands make to something that the block is given."""
    return any(getattr(v, "flows", isinstance(v, Unknown | ForeignTensor | Items)) for v in (a, b))


def _result(act: Activation, left: Value, right: Value) -> Tensor:
    """Return the tensor that an element-wise operator gives, with shapes broadcast where they differ."""
    tensors = [v for v in (left, right) if isinstance(v, Tensor)]
    if len(tensors) < 2:
        scalar = all(isinstance(v, Tensor | Static | Concrete) for v in (left, right))
        if not tensors or not scalar:
            return act.tensor(lineage=Lineage(act.run.token()))
        return act.tensor(type=tensors[0].type, lineage=tensors[0].lineage, origin=origin_of([left, right]))
    a, b = tensors
    lineage = merged_lineage(a, b) or Lineage(act.run.token())
    merged = TensorType(_merged_shape(a, b), unify_dtypes(a.type, b.type))
    return act.tensor(type=merged, lineage=lineage, origin=origin_of([a, b]))


def _merged_shape(a: Tensor, b: Tensor) -> Any:
    known = [shape for shape in (a.type.shape, b.type.shape) if shape is not None]
    if len(known) == 1 and 1 in known[0]:
        # Eagerly it is spread over the other one.
        return None
    merge = broadcast_shapes if a.mode == "np" or a.type.provably_differs(b.type) else unify_shapes
    try:
        return merge(a.type.shape, b.type.shape, "rhs")
    except InferError:
        return None


def _python_binary(symbol: str, a: Value, b: Value) -> Value:
    match a, b:
        case (Items(), Items()) if symbol == "+":
            return _concatenated(a, b)
        case (Items(kind=kind), Static(value=count)) | (Static(value=count), Items(kind=kind)) if symbol == "*":
            items = a if isinstance(a, Items) else b
            assert isinstance(items, Items)
            if items.items is not None and type(count) is int and 0 <= count * len(items.items) <= 64:
                return Items(kind, items.items * count)
            return Items(kind, None, element(items))
        case Static(), Static():
            return _of_settings(symbol, a, b)
        case (Concrete(), Static() | Concrete()) | (Static(), Concrete()):
            return a if isinstance(a, Concrete) else b
        case (NumpyArray(), Static() | NumpyArray() | Concrete()) | (Static() | Concrete(), NumpyArray()):
            return _of_arrays(symbol, a, b)
        case (ForeignTensor(), _) | (_, ForeignTensor()) if not isinstance(a, Unknown) and not isinstance(b, Unknown):
            return ForeignTensor()
        case (Items(), Items()) if symbol in _COMPARISONS:
            return TRUE_OR_FALSE
        case _:
            return Static(STATIC_UNKNOWN) if symbol in _COMPARISONS and _settings(a, b) else Unknown()


def _of_settings(symbol: str, a: Static, b: Static) -> Static:
    known = _folded(symbol, a.value, b.value)
    if known is not STATIC_UNKNOWN:
        return Static(known, numpy=a.numpy or b.numpy)
    answers = symbol in _COMPARISONS or (symbol in _LOGIC and a.is_boolean and b.is_boolean)
    return TRUE_OR_FALSE if answers else Static(STATIC_UNKNOWN)


def _of_arrays(symbol: str, a: Value, b: Value) -> NumpyArray:
    """Return the array of numpy that an operator gives: a comparison with a number answers for each element."""
    array, other = (a, b) if isinstance(a, NumpyArray) else (b, a)
    if symbol not in _COMPARISONS or not isinstance(array, NumpyArray) or not isinstance(other, Static):
        return NumpyArray()
    return NumpyArray(array.type.with_dtype("bool"))


def _settings(a: Value, b: Value) -> bool:
    return isinstance(a, Static | Unknown) and isinstance(b, Static | Unknown) and Static in {type(a), type(b)}


def _folded(symbol: str, a: Any, b: Any) -> Any:
    fold = _PYTHON.get(symbol)
    if fold is None or a is STATIC_UNKNOWN or b is STATIC_UNKNOWN:
        return STATIC_UNKNOWN
    if isinstance(a, str | bytes | list | tuple) and symbol == "*":
        return STATIC_UNKNOWN
    if symbol == "**" and isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > _LARGEST_POWER:
        return STATIC_UNKNOWN
    try:
        return fold(a, b)
    except (TypeError, ValueError, ArithmeticError):
        return STATIC_UNKNOWN


def _concatenated(a: Items, b: Items) -> Items:
    if a.items is not None and b.items is not None:
        return Items(a.kind, (*a.items, *b.items))
    parts = [element(side) for side in (a, b) if side.items != ()]
    return Items(a.kind, None, parts[0] if len(parts) == 1 else join(*parts))


def _membership(act: Activation, node: ast.Compare, left: Value, right: Value) -> Value:
    negated = isinstance(node.ops[0], ast.NotIn)
    if isinstance(right, Concrete):
        return right
    if isinstance(left, Divergent) or isinstance(right, Divergent):
        sides = {world: (in_world(left, world), in_world(right, world)) for world in act.flow.worlds}
        with act.run.silently():
            return per_world({world: _certain(_membership(act, node, *pair)) for world, pair in sides.items()})
    if isinstance(right, Tensor) and not right.optional:
        act.tell(Branch, node, kind="in", condition=node, value=right)
    elif isinstance(right, Outputs) and right.mode == "legacy" and isinstance(left, Tensor):
        act.tell(Branch, node, kind="in", condition=node, value=left)
    elif isinstance(right, Items) and right.kind in {"dict", "set"}:
        hashed(act, node, left)
    elif isinstance(right, Items) and (told := compared(left, right)) is not None:
        act.tell(Branch, node, kind="in", condition=node, value=told)
    named = isinstance(left, Tensor | Namespace | External | OperatorRef)
    if named and isinstance(right, Items) and right.items is not None:
        at = [position(left, right.items, world) for world in ("eager", "traced")]
        return outcome(*(None if place is None else (place < len(right.items)) is not negated for place in at))
    known = _contained(left, right, negated=negated)
    return TRUE_OR_FALSE if known is STATIC_UNKNOWN else Static(known)


def _contained(item: Value, container: Value, *, negated: bool) -> Any:
    if not isinstance(item, Static) or item.value is STATIC_UNKNOWN:
        return STATIC_UNKNOWN
    if isinstance(container, Static) and isinstance(container.value, str) and isinstance(item.value, str):
        return (item.value in container.value) is not negated
    values = container.items if isinstance(container, Items) and container.kind != "dict" else None
    if values is None or not all(isinstance(v, Static) and v.value is not STATIC_UNKNOWN for v in values):
        return STATIC_UNKNOWN
    return (item.value in [v.value for v in values if isinstance(v, Static)]) is not negated


def _is_namespace_test(left: Value, right: Value) -> bool:
    return (
        isinstance(left, Namespace)
        or isinstance(right, Namespace)
        or (isinstance(left, Divergent) and isinstance(left.eager, External))
    )


def _negated(value: Value) -> Value:
    match value:
        case Static(value=bool() as known):
            return Static(not known, value.certain)
        case Divergent():
            return Divergent(_negated(value.eager), _negated(value.traced))
        case _:
            return value


def _load(target: ast.expr) -> ast.expr:
    return target
