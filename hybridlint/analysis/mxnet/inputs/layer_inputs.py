"""Layers of a block that show what they are given: tensors alone, or the states of a recurrent layer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef
from hybridlint.analysis.mxnet.blocks.layers import takes_tensor
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.inputs.body_uses import uses_in

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectObject
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.runtime.facts.abstract.layers import Layer


def takes_only_tensors(act: Activation, instance: ProjectObject, part: ast.expr) -> bool:
    """Return whether an expression is a Gluon layer that accepts only tensors, or a container of such layers."""
    held = _held(instance, part)
    return held is not None and all(takes_tensor(act, one) or _uses_tensor(one) for one in held.known)


def takes_states(instance: ProjectObject, part: ast.expr) -> bool:
    """Return whether an expression is a recurrent layer or cell of the block: beside its input it takes states.

    These are a list of tensors, or a single one.
    """
    held = _held(instance, part)
    layers = [] if held is None else [layer_of(one) for one in held.known]
    return bool(layers) and all(layer is not None and (layer.steps or layer.sequences) for layer in layers)


def layer_held(instance: ProjectObject, part: ast.expr) -> Layer | None:
    """Return the Gluon layer that an attribute of an object always holds, if an expression reads one."""
    held = _held(instance, part)
    return None if held is None or held.alternatives else layer_of(held)


def _held(instance: ProjectObject, part: ast.expr) -> BlockRef | None:
    """Return the block that an expression reads from an attribute of an object, if it is surely one."""
    match part:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            held = instance.attributes.get(name)
            return held if isinstance(held, BlockRef) and held.certain else None
    return None


def _uses_tensor(block: BlockRef) -> bool:
    """Return whether a block of the project has one input, and its code uses this input as a tensor."""
    found = block.info.method(ENTRY) if block.info is not None and block.hybrid else None
    if found is None:
        return False
    spec = found[0].args
    inputs = [*spec.posonlyargs, *spec.args][2:]
    plain = len(inputs) == 1 and spec.vararg is None and not spec.kwonlyargs
    return plain and inputs[0].arg in uses_in(found[0]).tensors
