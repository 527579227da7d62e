"""``mx.gluon``: networks of blocks, run eagerly or compiled."""

from hybridlint.runtime.gluon import contrib, loss, nn, rnn, utils
from hybridlint.runtime.gluon.block import Block, HybridBlock, SymbolBlock
from hybridlint.runtime.gluon.parameter import (
    Constant,
    DeferredInitializationError,
    Parameter,
    ParameterDict,
    tensor_types,
)
from hybridlint.runtime.gluon.trainer import Trainer

__all__ = [
    "Block",
    "Constant",
    "DeferredInitializationError",
    "HybridBlock",
    "Parameter",
    "ParameterDict",
    "SymbolBlock",
    "Trainer",
    "contrib",
    "loss",
    "nn",
    "rnn",
    "tensor_types",
    "utils",
]
