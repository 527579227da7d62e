"""``mx.gluon.rnn.rnn_cell``: the names exported there."""

from hybridlint.runtime.gluon.rnn.containers import BidirectionalCell, HybridSequentialRNNCell, SequentialRNNCell
from hybridlint.runtime.gluon.rnn.gates import GRUCell, LSTMCell, RNNCell
from hybridlint.runtime.gluon.rnn.modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell

__all__ = [
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
