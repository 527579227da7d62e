"""Calls of compiled children by code that runs eagerly around them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import ArgumentsEvent, CompiledCall
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    NumpyArray,
    Outputs,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def as_arrays(value: Value) -> Value:
    """Return a value of a trace as eager code sees it: with arrays in place of tensors."""
    match value:
        case Tensor(optional=False):
            return CapturedArray(value.type)
        case Outputs():
            return ContainerValue("list", None, CapturedArray())
        case _:
            return _in_containers(value, as_arrays)


def as_tensors(value: Value) -> Value:
    """Return a value of eager code as a trace sees it: with tensors in place of arrays."""
    return Tensor(value.type) if isinstance(value, CapturedArray) else _in_containers(value, as_tensors)


def _in_containers(value: Value, change: Callable[[Value], Value]) -> Value:
    match value:
        case ContainerValue(items=None):
            return replace(value, each=change(value.each))
        case ContainerValue(items=tuple() as items):
            return replace(value, items=tuple(map(change, items)))
        case _:
            return value


def note_call(act: Activation, node: ast.Call, block: BlockRef, args: ArgumentsEvent) -> None:
    """Emit an event for a call of a compiled child by code that runs eagerly around it."""
    known = block.alternatives or (block,)
    compiled = act.run.blocks.around
    if compiled is None or act.module is not act.run.module or not all(one.creation in compiled for one in known):
        return
    act.run.blocks.around_calls.append(CompiledCall(node, act.frame(), block=block, arguments=args))


def refused_part(value: Value) -> Value | None:
    """Return the part of a compiled block's input that graphs do not accept; None without a known part."""
    match value:
        case StaticValue(value=None):
            return None
        case StaticValue(value=tuple() | list() as parts):
            return next((value for part in parts if part is not None), None)
        case StaticValue(among=tuple() as among) if value.value is STATIC_UNKNOWN:
            return None if None in among else value
        case StaticValue() | DataDependentValue() | NumpyArray() | ContainerValue(kind="dict"):
            return value
        case ContainerValue(items=None):
            return refused_part(value.each)
        case ContainerValue(items=tuple() as items):
            return next((found for item in items if (found := refused_part(item)) is not None), None)
        case _:
            return None
