"""``mx.init``: initial values of parameters, chosen by initializer and by the ending of the parameter's name."""

from hybridlint.runtime.initializer.base import InitDesc, Initializer, alias, create, register
from hybridlint.runtime.initializer.chosen import Load, Mixed
from hybridlint.runtime.initializer.drawn import MSRAPrelu, Normal, Orthogonal, Uniform, Xavier
from hybridlint.runtime.initializer.fixed import Bilinear, Constant, LSTMBias, One, Zero
from hybridlint.runtime.initializer.fused import FusedRNN

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]
