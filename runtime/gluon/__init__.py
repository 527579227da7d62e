"""``mx.gluon``: networks of blocks, run eagerly or compiled."""

from hybridlint.runtime.gluon import contrib, loss, nn, rnn
from hybridlint.runtime.gluon.block import Block, HybridBlock, SymbolBlock
from hybridlint.runtime.gluon.parameter import Constant, DeferredInitializationError, Parameter, ParameterDict

__all__ = [
    "Block",
    "Constant",
    "DeferredInitializationError",
    "HybridBlock",
    "Parameter",
    "ParameterDict",
    "SymbolBlock",
    "contrib",
    "loss",
    "nn",
    "rnn",
]
