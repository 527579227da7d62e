"""``mx.gluon.contrib``: layers beyond the core."""

from hybridlint.runtime.gluon.contrib import nn, rnn

__all__ = ["nn", "rnn"]
