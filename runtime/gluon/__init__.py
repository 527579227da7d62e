"""``mx.gluon``: networks of blocks, run eagerly or compiled. Data sets and known networks load on first use."""

import importlib
from typing import Any

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
    "data",
    "loss",
    "model_zoo",
    "nn",
    "rnn",
    "tensor_types",
    "utils",
]


_LATE = ("data", "model_zoo")


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
