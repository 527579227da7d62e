"""``mx.gluon.contrib.rnn``."""

from hybridlint.runtime.gluon.contrib.rnn.rnn_cell import VariationalDropoutCell

__all__ = ["VariationalDropoutCell"]
