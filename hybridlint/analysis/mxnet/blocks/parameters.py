"""Whether blocks have parameters, which the outermost block must register, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, StaticValue, Unknown, Value
from hybridlint.analysis.mxnet.blocks.runtime_layers import ROOTS, layer_of
from hybridlint.analysis.project.instances import blocks_in
from hybridlint.analysis.syntax.building import instance_of

if TYPE_CHECKING:
    from hybridlint.analysis.run.run import AnalysisRun


def has_parameters(run: AnalysisRun, value: Value) -> bool | None:
    """Return whether a block in a value has parameters; None if that is not known."""
    answers = [_has(run, one) for block in blocks_in(value) for one in block.alternatives or (block,)]
    return True if True in answers else None if None in answers or not answers else False


def has_weights(run: AnalysisRun, block: BlockRef) -> bool:
    """Return whether a block is known to have parameters."""
    return has_parameters(run, block) is True


def alters(run: AnalysisRun, block: BlockRef) -> bool:
    """Return whether a block computes other values from its input: by weights, or as its layer does."""
    if has_weights(run, block):
        return True
    layer = layer_of(block)
    if layer is None or block.info is not None or layer.calls_function:
        return False
    if layer.holds_others:
        return any(isinstance(part, BlockRef) and alters(run, part) for part in run.blocks.parts.of(block.creation))
    return layer.alters


def _has(run: AnalysisRun, block: BlockRef) -> bool | None:
    if block.info is not None:
        return _own(run, block)
    layer = layer_of(block)
    if layer is not None and layer.holds_others:
        answers = [has_parameters(run, part) for part in run.blocks.parts.of(block.creation)]
        return True if True in answers else None if None in answers or not answers else False
    return None if layer is None else layer.has_parameters


def _own(run: AnalysisRun, block: BlockRef) -> bool | None:
    """Return whether a block of a class with source has parameters; None if that is not known.

    It has those that its ``__init__`` stores, and those of its children.
    """
    assert block.info is not None
    instance = instance_of(run, block.info)
    if instance.parameters or any(has_parameters(run, child.value) for child in instance.children):
        return True
    bases = {name.rpartition(".")[2] for name in block.info.foreign_bases}
    sealed = instance.computed or instance.registered or any(map(_may_hold, instance.attributes.values()))
    children = [has_parameters(run, child.value) for child in instance.children]
    return None if sealed or None in children or not all(map(_is_plain_base, bases)) else False


def _is_plain_base(name: str) -> bool:
    """Return whether a Gluon base class gives a block no parameters of its own."""
    layer = layer_of(BlockRef(name, None))
    return name in ROOTS if layer is None else layer.has_parameters is False and not layer.holds_others


def _may_hold(value: Value) -> bool:
    """Return whether a value that is unknown, or None so far, may be a block or a parameter."""
    return isinstance(value, Unknown) or (isinstance(value, StaticValue) and value.value is None)
