"""Iteration over a value: the elements that it yields."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis import semantics
from hybridlint.analysis.flow.lookups import key_value
from hybridlint.analysis.flow.rows import any_row, has_rows
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.lattice import some_element
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    NumpyArray,
    Outputs,
    SelfRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.syntax.special_methods import first_element
from hybridlint.runtime.facts.types import TensorType

#: Loops with more steps than this are not unrolled.
_MOST_STEPS = 8

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def iterate(act: Activation, value: Value, node: ast.AST, how: str) -> Value:
    """Return the join of the elements that iteration over a value yields.

    Emits an event if iterating converts a tensor to Python values.
    """
    match value:
        case Unknown(fed=True):
            return value
        case Tensor(origin="element"):
            act.suspect(Concretize, node, how=how, value=value)
            return Unknown()
        case Tensor(optional=False):
            act.emit(Concretize, node, how=how, value=value)
            return _row(act, value)
        case Outputs():
            return act.tensor(lineage=value.lineage or ShapeProvenance(act.run.token()), flows=value.flows)
        case ContainerValue(kind="dict"):
            return StaticValue(STATIC_UNKNOWN)
        case ContainerValue(kind="record"):
            return Unknown()
        case ContainerValue():
            return some_element(value)
        case StaticValue(value=known) if known is not STATIC_UNKNOWN:
            return StaticValue(STATIC_UNKNOWN)
        case DataDependentValue() | NumpyArray():
            return value
        case CapturedArray():
            return CapturedArray()
        case BlockRef():
            return semantics.library.any_child(act.run, value)
        case EagerTracePair():
            return any_row(act, value) if has_rows(value) else Unknown()
        case SelfRef():
            made = first_element(act, node, value)
            if made is None or made[1]:
                return Unknown() if made is None else made[0]
            return iterate(act, made[0], node, how)
        case StaticValue():
            # An attribute that looks like a setting may hold children as well as numbers.
            return Unknown()
        case _:
            return Unknown()


def steps(value: Value) -> tuple[Value, ...] | None:
    """Return the elements that iteration over a value yields, in order; None if they are unknown or too many."""
    known: tuple[Value, ...] | None = None
    match value:
        case ContainerValue(kind="dict", keys=keys) if keys is not None:
            known = tuple(map(key_value, keys))
        case ContainerValue(kind="list" | "tuple" | "generator" | "view" | "deque", items=items):
            known = items
        case StaticValue(value=str() | tuple() | list() as items) if len(items) <= _MOST_STEPS:
            known = tuple(StaticValue(item) for item in items)
    return known if known is not None and len(known) <= _MOST_STEPS else None


def elements(act: Activation, value: Value, count: int, node: ast.AST) -> list[Value]:
    """Return the values that unpacking into `count` names yields."""
    if (
        isinstance(value, ContainerValue)
        and value.kind != "dict"
        and value.items is not None
        and len(value.items) == count
    ):
        return list(value.items)
    if isinstance(value, Outputs) and value.types is not None and len(value.types) == count:
        lineages = (value.lineage or ShapeProvenance(act.run.token()) for _ in value.types)
        return [
            act.tensor(type=t, lineage=one, flows=value.flows) for t, one in zip(value.types, lineages, strict=True)
        ]
    if isinstance(value, StaticValue) and isinstance(value.value, tuple | list) and len(value.value) == count:
        return [StaticValue(v) for v in value.value]
    return [iterate(act, value, node, "unpacking")] * count if count else []


def _row(act: Activation, value: Tensor) -> Tensor:
    shape = value.type.shape
    rest = TensorType(shape[1:] if shape else None, value.type.dtype)
    return act.tensor(type=rest, lineage=ShapeProvenance(act.run.token()), flows=value.flows)
