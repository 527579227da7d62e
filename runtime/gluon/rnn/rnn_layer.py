"""``mx.gluon.rnn.rnn_layer``: what it exports there."""

from hybridlint.runtime.gluon.rnn.layers import GRU, LSTM, RNN, _RNNLayer

__all__ = ["GRU", "LSTM", "RNN", "_RNNLayer"]
