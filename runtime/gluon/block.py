"""``mx.gluon.block``: the names exported there."""

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon.deferred import DeferredInitializationError
from hybridlint.runtime.gluon.hooks import HookHandle
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.param_dict import ParameterDict
from hybridlint.runtime.gluon.param_dict import brief as _brief_print_list
from hybridlint.runtime.gluon.plain_block import Block
from hybridlint.runtime.gluon.plain_block import indent as _indent
from hybridlint.runtime.gluon.scope import BlockScope as _BlockScope
from hybridlint.runtime.gluon.structure import flatten as _flatten
from hybridlint.runtime.gluon.structure import regroup as _regroup
from hybridlint.runtime.gluon.symbol_block import SymbolBlock
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol.symbol import Symbol
from hybridlint.runtime.util import is_np_array

__all__ = [
    "Block",
    "DeferredInitializationError",
    "HookHandle",
    "HybridBlock",
    "MXNetError",
    "NDArray",
    "Parameter",
    "ParameterDict",
    "Symbol",
    "SymbolBlock",
    "_BlockScope",
    "_brief_print_list",
    "_flatten",
    "_indent",
    "_regroup",
    "is_np_array",
]
