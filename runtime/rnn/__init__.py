"""``mx.rnn``: recurrent cells of the Symbol interface, which `mx.mod` trains. Gluon's are in ``mx.gluon.rnn``."""

from __future__ import annotations

from hybridlint.runtime.rnn.checkpoints import do_rnn_checkpoint as do_rnn_checkpoint
from hybridlint.runtime.rnn.checkpoints import load_rnn_checkpoint as load_rnn_checkpoint
from hybridlint.runtime.rnn.checkpoints import save_rnn_checkpoint as save_rnn_checkpoint
from hybridlint.runtime.rnn.containers import BidirectionalCell as BidirectionalCell
from hybridlint.runtime.rnn.containers import SequentialRNNCell as SequentialRNNCell
from hybridlint.runtime.rnn.convolutional import BaseConvRNNCell as BaseConvRNNCell
from hybridlint.runtime.rnn.convolutional import ConvGRUCell as ConvGRUCell
from hybridlint.runtime.rnn.convolutional import ConvLSTMCell as ConvLSTMCell
from hybridlint.runtime.rnn.convolutional import ConvRNNCell as ConvRNNCell
from hybridlint.runtime.rnn.dropout import DropoutCell as DropoutCell
from hybridlint.runtime.rnn.fused import FusedRNNCell as FusedRNNCell
from hybridlint.runtime.rnn.gates import GRUCell as GRUCell
from hybridlint.runtime.rnn.gates import LSTMCell as LSTMCell
from hybridlint.runtime.rnn.gates import RNNCell as RNNCell
from hybridlint.runtime.rnn.io import BucketSentenceIter as BucketSentenceIter
from hybridlint.runtime.rnn.io import encode_sentences as encode_sentences
from hybridlint.runtime.rnn.modifiers import ModifierCell as ModifierCell
from hybridlint.runtime.rnn.modifiers import ResidualCell as ResidualCell
from hybridlint.runtime.rnn.modifiers import ZoneoutCell as ZoneoutCell
from hybridlint.runtime.rnn.recurrent import BaseRNNCell as BaseRNNCell
from hybridlint.runtime.rnn.recurrent import RNNParams as RNNParams
