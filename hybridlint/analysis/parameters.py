"""Whether blocks have parameters, which the outermost block must know of, or merely compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.instances import blocks_in, instance_of
from hybridlint.analysis.tables import words
from hybridlint.analysis.values import Block, Static, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.state import Run

_WITHOUT = words(
    """
    Activation LeakyReLU ELU SELU GELU Swish SiLU Dropout Flatten Identity Lambda HybridLambda ReflectionPad2D
    PixelShuffle1D PixelShuffle2D PixelShuffle3D
    """
)
_WITH = words(
    """
    Dense Embedding SparseEmbedding PReLU BatchNorm BatchNormReLU SyncBatchNorm LayerNorm InstanceNorm GroupNorm
    Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DeformableConvolution
    ModulatedDeformableConvolution RNN LSTM GRU RNNCell LSTMCell GRUCell LSTMPCell Conv1DRNNCell Conv2DRNNCell
    Conv3DRNNCell Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell Conv1DGRUCell Conv2DGRUCell Conv3DGRUCell
    """
)
_CONTAINERS = words("Sequential HybridSequential Concurrent HybridConcurrent SequentialRNNCell HybridSequentialRNNCell")
_ROOTS = words("Block HybridBlock")


def has_parameters(run: Run, value: Value) -> bool | None:
    """Return whether any block that a value is or holds has parameters; None where that is not known."""
    answers = [_has(run, one) for block in blocks_in(value) for one in block.alternatives or (block,)]
    return True if True in answers else None if None in answers or not answers else False


def _has(run: Run, block: Block) -> bool | None:
    if block.info is not None:
        return _own(run, block)
    if block.layer in _CONTAINERS:
        parts = run.parts.get(block.creation, []) if block.creation is not None else []
        answers = [has_parameters(run, part) for part in parts]
        return True if True in answers else None if None in answers or not answers else False
    if block.layer in _WITHOUT or block.layer.endswith("Loss") or "Pool" in block.layer:
        return False
    return True if block.layer in _WITH else None


def _own(run: Run, block: Block) -> bool | None:
    """Return the answer for a block whose source is at hand, all that ``__init__`` keeps considered."""
    assert block.info is not None
    instance = instance_of(run, block.info)
    if instance.parameters or any(has_parameters(run, child.value) for child in instance.children):
        return True
    bases = {name.rpartition(".")[2] for name in block.info.foreign_bases}
    sealed = instance.computed or instance.registered or any(map(_may_hold, instance.attributes.values()))
    children = [has_parameters(run, child.value) for child in instance.children]
    return None if sealed or None in children or not bases <= _ROOTS | _WITHOUT else False


def _may_hold(value: Value) -> bool:
    """Whether a value that is not known may be a block or a parameter."""
    return isinstance(value, Unknown) or (isinstance(value, Static) and value.value is None)
