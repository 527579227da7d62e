"""``mx.gluon.block``: what it exports there."""

from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.param import DeferredInitializationError
from hybridlint.runtime.gluon.plain_block import Block
from hybridlint.runtime.gluon.symbol_block import SymbolBlock

__all__ = ["Block", "DeferredInitializationError", "HybridBlock", "SymbolBlock"]
