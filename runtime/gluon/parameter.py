"""``mx.gluon.parameter``: the names exported there."""

from hybridlint.runtime.gluon.arrays import tensor_types
from hybridlint.runtime.gluon.constant import Constant
from hybridlint.runtime.gluon.deferred import DeferredInitializationError
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.param_dict import ParameterDict

__all__ = ["Constant", "DeferredInitializationError", "Parameter", "ParameterDict", "tensor_types"]
