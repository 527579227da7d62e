"""``mx.gluon.contrib``: layers beyond the core."""

from hybridlint.runtime.gluon.contrib import cnn, nn, rnn

__all__ = ["cnn", "nn", "rnn"]
