"""``mx.rnn.rnn_cell``: MXNet's own place of the cells."""

from __future__ import annotations

from hybridlint.runtime.rnn.containers import BidirectionalCell, SequentialRNNCell
from hybridlint.runtime.rnn.convolutional import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from hybridlint.runtime.rnn.dropout import DropoutCell
from hybridlint.runtime.rnn.fused import FusedRNNCell
from hybridlint.runtime.rnn.gates import GRUCell, LSTMCell, RNNCell
from hybridlint.runtime.rnn.modifiers import ModifierCell, ResidualCell, ZoneoutCell
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
