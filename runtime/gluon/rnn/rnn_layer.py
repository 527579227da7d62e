"""``mx.gluon.rnn.rnn_layer``: the names exported there."""

from hybridlint.runtime.gluon.rnn.layers import GRU, LSTM, RNN, _RNNLayer

__all__ = ["GRU", "LSTM", "RNN", "_RNNLayer"]
