"""``mx.gluon.rnn``: recurrent cells, which run step by step, and layers, which run whole sequences in one operator."""

from hybridlint.runtime.gluon.rnn.containers import (
    BidirectionalCell,
    HybridSequentialRNNCell,
    SequentialRNNCell,
)
from hybridlint.runtime.gluon.rnn.gates import GRUCell, LSTMCell, RNNCell
from hybridlint.runtime.gluon.rnn.layers import GRU, LSTM, RNN
from hybridlint.runtime.gluon.rnn.modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
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
