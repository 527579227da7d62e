"""Methods that a class of the project inherits from one of Gluon's layers: ``super().hybrid_forward(F, x)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, SelfRef, ShapeProvenance, Tensor, Unknown, Value
from hybridlint.analysis.mxnet.blocks.layers import gives_one, gives_tensor
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.runtime.facts.abstract.layers import layer_of_any

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.run.activation import Activation


def inherited_method(act: Activation, this: SelfRef, name: str, args: ArgumentsEvent) -> Value:
    """Return the result of ``super().hybrid_forward(F, x)`` if the base class is a Gluon layer: mostly a tensor."""
    data = args.values[1] if name == ENTRY and len(args.values) > 1 else None
    if not isinstance(data, Tensor):
        return Unknown()
    info = this.instance.info
    above = next((base.rpartition(".")[2] for base in info.foreign_bases if base.startswith("mxnet.gluon.")), "")
    block = BlockRef(above, info.hybrid, {}, info.node, info)
    layer = layer_of_any(above)
    if layer is None or layer.steps or layer.sequences or layer.inputs > 1:
        return Unknown()
    if layer.holds_others:
        return act.tensor(lineage=ShapeProvenance(act.run.token())) if gives_tensor(act, block, layer) else Unknown()
    if not gives_one(block, layer):
        return Unknown()
    lineage = data.lineage if layer.keeps_shape else ShapeProvenance(act.run.token())
    return act.tensor(type=layer.type_of(data.type), lineage=lineage)
