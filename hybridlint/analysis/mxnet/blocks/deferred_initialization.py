"""Deferred initialization: parameter sizes that the first batch determines, and that are 0 before it."""

from __future__ import annotations

import ast
from typing import Any

from hybridlint.analysis.model.arguments import constant
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    ContainerValue,
    DataDependentValue,
    ParameterRef,
    StaticValue,
    Value,
)
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of

#: The reason of a `DataDependentValue` size that is unknown when the block is traced.
LATE = "size of a parameter"
#: Names of parameters that layers, and blocks like them, commonly have.
_COMMON = frozenset({"weight", "bias", "gamma", "beta", "running_mean", "running_var"})


def late_in(shape: Value | None) -> frozenset[int]:
    """Return the axes of a shape that are written as 0, to be inferred later."""
    known = constant(shape) if isinstance(shape, StaticValue) else STATIC_UNKNOWN
    if isinstance(known, tuple | list):
        return frozenset(i for i, size in enumerate(known) if size == 0)
    items = shape.items if isinstance(shape, ContainerValue) else None
    return frozenset(i for i, size in enumerate(items or ()) if size == StaticValue(0))


def layer_parameter(block: BlockRef, name: str) -> ParameterRef | None:
    """Return a Gluon layer's attribute if it is one of its parameters."""
    layer = layer_of(block)
    if layer is not None and name in layer.parameters:
        return ParameterRef(late=frozenset(i for i, size in enumerate(layer.parameters[name] or ()) if size == 0))
    return ParameterRef() if name in _COMMON and block.layer else None


def is_common_parameter(node: ast.expr) -> bool:
    """Return whether an expression reads an attribute by a name that parameters of layers commonly have."""
    return isinstance(node, ast.Attribute) and node.attr in _COMMON


def sizes(known: ParameterRef) -> Value:
    """Return the ``shape`` attribute of a parameter."""
    shape: tuple[Any, ...] = known.type.shape or (STATIC_UNKNOWN,) * (max(known.late, default=0) + 1)
    if known.late:
        return ContainerValue(
            "tuple", tuple(DataDependentValue(LATE) if i in known.late else StaticValue(s) for i, s in enumerate(shape))
        )
    return StaticValue(STATIC_UNKNOWN if known.type.shape is None else known.type.shape)
