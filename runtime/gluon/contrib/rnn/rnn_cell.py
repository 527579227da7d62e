"""``mx.gluon.contrib.rnn.rnn_cell``: the names exported there."""

from hybridlint.runtime.gluon.contrib.rnn.projected import LSTMPCell
from hybridlint.runtime.gluon.contrib.rnn.unrolling import dynamic_unroll
from hybridlint.runtime.gluon.contrib.rnn.variational import VariationalDropoutCell
from hybridlint.runtime.gluon.rnn.containers import BidirectionalCell, SequentialRNNCell
from hybridlint.runtime.gluon.rnn.modifiers import ModifierCell
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell

__all__ = [
    "BidirectionalCell",
    "HybridRecurrentCell",
    "LSTMPCell",
    "ModifierCell",
    "SequentialRNNCell",
    "VariationalDropoutCell",
    "dynamic_unroll",
]
