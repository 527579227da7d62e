"""Sizes of parameters that the first batch tells: a block that is traced before it has run finds 0 in their place."""

from __future__ import annotations

from typing import Any

from hybridlint.analysis.operators import constant
from hybridlint.analysis.tables import words
from hybridlint.analysis.values import STATIC_UNKNOWN, Block, Concrete, Items, ParameterRef, Static, Value

#: What a size is called that is not known when the block is traced.
LATE = "size of a parameter"
_NORMS = words("BatchNorm BatchNormReLU SyncBatchNorm LayerNorm InstanceNorm")
_CONVOLUTIONS = words("Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose")
_CELLS = words("RNNCell LSTMCell GRUCell LSTMPCell")


def late_in(shape: Value | None) -> frozenset[int]:
    """Return the axes of a shape that are written as 0: these sizes come later."""
    known = constant(shape) if isinstance(shape, Static) else STATIC_UNKNOWN
    if isinstance(known, tuple | list):
        return frozenset(i for i, size in enumerate(known) if size == 0)
    items = shape.items if isinstance(shape, Items) else None
    return frozenset(i for i, size in enumerate(items or ()) if size == Static(0))


def layer_parameter(block: Block, name: str) -> ParameterRef | None:
    """Return what a layer of Gluon holds under a name, if it is one of its parameters."""
    layer = block.layer
    if name in {"gamma", "beta", "running_mean", "running_var"} and layer:
        return ParameterRef(late=_unless(block, "in_channels", 0) if layer in _NORMS else frozenset())
    if name == "i2h_weight" and layer in _CELLS:
        return ParameterRef(late=_unless(block, "input_size", 1))
    if name == "weight" and layer == "Dense":
        return ParameterRef(late=_unless(block, "in_units", 1))
    if name == "weight" and layer in _CONVOLUTIONS:
        return ParameterRef(late=_unless(block, "in_channels", 0 if "Transpose" in layer else 1))
    return ParameterRef() if name in {"weight", "bias"} and layer else None


def sizes(known: ParameterRef) -> Value:
    """Return what the ``shape`` of a parameter holds."""
    shape: tuple[Any, ...] = known.type.shape or (STATIC_UNKNOWN,) * (max(known.late, default=0) + 1)
    if known.late:
        return Items("tuple", tuple(Concrete(LATE) if i in known.late else Static(s) for i, s in enumerate(shape)))
    return Static(STATIC_UNKNOWN if known.type.shape is None else known.type.shape)


def _unless(block: Block, argument: str, axis: int) -> frozenset[int]:
    """Return an axis as one whose size comes later, unless the layer is told it."""
    return frozenset({axis}) if block.arguments.get(argument, Static(0)) == Static(0) else frozenset()
