"""Python operators between values: evaluated for Python's own values, with events for tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis import semantics
from hybridlint.analysis.flow.formatted_texts import text_with, writes_texts
from hybridlint.analysis.flow.guards import emit_division
from hybridlint.analysis.flow.lookups import compared_in_order
from hybridlint.analysis.flow.python_operators import COMPARISONS, python_binary
from hybridlint.analysis.flow.rows import emit_whole_use
from hybridlint.analysis.flow.sized_choices import of_no_size
from hybridlint.analysis.flow.truth import certain
from hybridlint.analysis.model.arguments import origin_of
from hybridlint.analysis.model.dtypes import operator_dtype
from hybridlint.analysis.model.events import AttributeRead, Binary, Branch, InPlace, Negation, SideEffect
from hybridlint.analysis.model.lattice import either_flows, in_world, per_world
from hybridlint.analysis.model.shape_provenance import equal_lineage, merged_lineage
from hybridlint.analysis.model.shapes import may_differ, merged_type
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    Flows,
    Mode,
    NumpyArray,
    Outputs,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.syntax.special_methods import operator_result
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

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
# Operators that no tensor supports, so that they fail eagerly too.
_NEITHER: dict[Mode, frozenset[str]] = {
    "legacy": frozenset({"//", "@", "&", "|", "^", "<<", ">>"}),
    "np": frozenset({"//", "<<", ">>"}),
}


def binary(act: Activation, node: ast.AST, op: ast.operator | ast.cmpop, left: Operand, right: Operand) -> Value:
    """Evaluate ``left op right``."""
    symbol = _SYMBOLS[type(op)]
    a, b = left[1], right[1]
    if isinstance(op, ast.Mod) and isinstance(a, StaticValue) and isinstance(a.value, str) and writes_texts(a.value):
        return text_with(b)
    if isinstance(a, Tensor | Outputs) or isinstance(b, Tensor | Outputs):
        return _tensor_binary(act, node, symbol, left, right)
    if isinstance(a, EagerTracePair) or isinstance(b, EagerTracePair):
        emit_whole_use(act, a)
        emit_whole_use(act, b)
        sides = {world: (in_world(a, world), in_world(b, world)) for world in act.flow.worlds}
        with act.run.reporting.silently():
            return per_world(
                {
                    w: of_no_size(symbol, (left[0], x), (right[0], y))
                    or certain(binary(act, node, op, (left[0], x), (right[0], y)))
                    for w, (x, y) in sides.items()
                }
            )
    known = operator_result(act, node, symbol, a, b)
    if known is not None:
        return known
    if symbol in COMPARISONS:
        _emit_order(act, node, symbol, a, b)
    found = python_binary(symbol, a, b)
    if act.role.building and isinstance(found, Unknown) and {type(a), type(b)} == {CapturedArray, Unknown}:
        # A number or an array: nothing else that a constructor is given computes with an array.
        return found if symbol in COMPARISONS else CapturedArray()
    return replace(found, made=True) if isinstance(found, Unknown) and _is_made(a, b) else found


def _is_made(*operands: Value) -> bool:
    """Return whether a value is computed from settings and from what ``__init__`` has left alone."""
    return all(isinstance(one, StaticValue) or (isinstance(one, Unknown) and one.made) for one in operands)


def _emit_order(act: Activation, node: ast.AST, symbol: str, a: Value, b: Value) -> None:
    """Emit an event for comparing containers of tensors, unless the sizes of the containers decide the result."""
    if not isinstance(a, ContainerValue) or not isinstance(b, ContainerValue):
        return
    tensor = compared_in_order(a, b)
    unequal = a.kind != "tuple" and symbol in {"==", "!="} and len(a.items or ()) != len(b.items or ())
    if tensor is not None and not unequal:
        act.emit(Branch, node, kind="in", condition=node, value=tensor)


def unary(act: Activation, node: ast.UnaryOp, value: Value) -> Value:
    """Evaluate ``-value``, ``+value`` or ``~value``."""
    if isinstance(node.op, ast.Invert):
        emit_lack(act, node, value, "__invert__")
    match value:
        case Tensor():
            if isinstance(node.op, ast.USub):
                act.emit(Negation, node, value=value)
            return act.tensor(type=value.type, lineage=value.lineage, flows=value.flows)
        case StaticValue(value=known) if isinstance(node.op, ast.USub) and isinstance(known, int | float):
            return StaticValue(-known, certain=value.certain)
        case StaticValue(value=int() as known) if isinstance(node.op, ast.Invert):
            return StaticValue(-known - 1)
        case StaticValue():
            return StaticValue(STATIC_UNKNOWN)
        case _:
            return value


def in_place(act: Activation, node: ast.AugAssign, target: Value, value: Value) -> Value:
    """Evaluate ``target op= value`` and return the new value of the target."""
    symbol = _SYMBOLS[type(node.op)]
    if isinstance(target, Tensor | Outputs):
        found = lookup.strict(symbol) if target.mode == "legacy" else None
        act.emit(InPlace, node, symbol=symbol + "=", target=target, value=value, operator=found)
        if symbol == "**":
            # No array does this in place: the name is rebound to the result of the operator.
            return _tensor_binary(act, node, symbol, (_load(node.target), target), (node.value, value))
        if isinstance(target, Outputs):
            return _result(act, target, value)
        # The array's other names keep referring to it.
        result = target if isinstance(value, StaticValue | DataDependentValue) else _result(act, target, value)
        return replace(result, identity=target.identity)
    if isinstance(target, CapturedArray):
        if target.kept:
            act.emit(SideEffect, node, kind="buffer", target=act.module.source.code(node.target))
        return target
    return binary(act, node, node.op, (_load(node.target), target), (node.value, value))


def emit_lack(act: Activation, node: ast.AST, value: Value, dunder: str) -> None:
    """Emit an event for a special method that a tensor lacks at the trace."""
    if isinstance(value, Tensor) and not value.optional and surface.tensor_lack(dunder, value.mode) is not None:
        act.emit(AttributeRead, node, value=value, name=dunder)


def _tensor_binary(act: Activation, node: ast.AST, symbol: str, left: Operand, right: Operand) -> Value:
    a, b = _there(left[1]), _there(right[1])
    left, right = (left[0], a), (right[0], b)
    mode = next(v.mode for v in (a, b) if isinstance(v, Tensor | Outputs))
    if (
        (symbol in _NEITHER[mode] and not _is_of_numpy(b))
        or getattr(a, "optional", False)
        or getattr(b, "optional", False)
    ):
        return act.tensor(lineage=ShapeProvenance(act.run.token()))
    for place, value in (left, right):
        emit_division(act, place, value)
    result = replace(_result(act, a, b), flows=False if symbol in COMPARISONS else _flows(a, b))
    if mode == "np":
        result = replace(result, type=result.type.with_dtype(operator_dtype(symbol, a, b)))
    act.emit(
        Binary,
        node,
        symbol=symbol,
        left=a,
        right=b,
        left_node=left[0],
        right_node=right[0],
        operator=lookup.strict(symbol) if mode == "legacy" else None,
        failure=semantics.library.operator_failure(mode, symbol, a, b),
        result=result,
        suspicious=isinstance(a, Tensor) and isinstance(b, Tensor) and may_differ(a, b),
    )
    return result


def _there(value: Value) -> Value:
    """Return an operand that is computed with: a parameter that the block may lack is there, since None raises."""
    if isinstance(value, Tensor) and value.optional and value.origin == "parameter":
        return replace(value, optional=False)
    return value


def _is_of_numpy(value: Value) -> bool:
    """Return whether a value is one of numpy's, whose operators fall back on those of a tensor operand."""
    return isinstance(value, NumpyArray) or (isinstance(value, StaticValue) and value.numpy)


def _flows(a: Value, b: Value) -> Flows:
    """Return whether a gradient can pass from the result of two operands to an input of the block."""
    return either_flows(map(_flow_of, (a, b)))


def _flow_of(value: Value) -> Flows:
    if isinstance(value, Tensor | Outputs):
        return value.flows
    return "perhaps" if isinstance(value, Unknown) else isinstance(value, CapturedArray | ContainerValue)


def _result(act: Activation, left: Value, right: Value) -> Tensor:
    """Return the result of an element-wise operator, with shapes broadcast where they differ."""
    tensors = [v for v in (left, right) if isinstance(v, Tensor)]
    if len(tensors) < 2:
        scalar = all(isinstance(v, Tensor | StaticValue | DataDependentValue) for v in (left, right))
        if not tensors or not scalar:
            # An unknown operand may be a number or a tensor, which an eager run broadcasts. At the trace it has the
            # shape of the other operand.
            rootless = {"element", "parameter", "weights"}
            known = [v.lineage for v in tensors if v.mode == "legacy" and not v.optional and v.origin not in rootless]
            return act.tensor(lineage=replace(known[0], mixed=True) if known and known[0] else None)
        return act.tensor(type=tensors[0].type, lineage=tensors[0].lineage, origin=origin_of([left, right]))
    a, b = tensors
    lineage = merged_lineage(a, b) if a.mode == "np" else equal_lineage(a, b)
    return act.tensor(
        type=merged_type(a, b), lineage=lineage or ShapeProvenance(act.run.token()), origin=origin_of([a, b])
    )


def _load(target: ast.expr) -> ast.expr:
    return target
