"""Plain blocks of language."""

import math

from mxnet import gluon, nd
from mxnet.gluon import HybridBlock, nn


def masked(scores, mask, F=nd):
    """Hide what the mask leaves out."""
    if mask is None:
        return scores
    return F.where(mask, scores, F.ones_like(scores) * -1e9)


class DotAttention(HybridBlock):
    def __init__(self, units, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        with self.name_scope():
            self.query = nn.Dense(units, flatten=False, use_bias=False)
            self.key = nn.Dense(units, flatten=False, use_bias=False)
            self.dropout = nn.Dropout(dropout)

    def hybrid_forward(self, F, x, memory, mask=None):
        scores = F.batch_dot(self.query(x), self.key(memory), transpose_b=True) / math.sqrt(self.units)
        weights = self.dropout(F.softmax(masked(scores, mask, F=F), axis=-1))
        return F.batch_dot(weights, memory)


class Highway(HybridBlock):
    def __init__(self, units, layers=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.layers = nn.HybridSequential()
            for _ in range(layers):
                self.layers.add(nn.Dense(2 * units))

    def hybrid_forward(self, F, x):
        for layer in self.layers:
            transformed, gate = F.split(layer(x), num_outputs=2, axis=1)
            gate = F.sigmoid(gate)
            x = gate * F.relu(transformed) + (1 - gate) * x
        return x


class TextCNN(HybridBlock):
    def __init__(self, vocabulary, units, kernels=(2, 3), **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(vocabulary, units)
            self.convs = nn.HybridSequential()
            for size in kernels:
                self.convs.add(nn.Conv1D(units, size, activation="relu"))
            self.out = nn.Dense(2)

    def hybrid_forward(self, F, tokens):
        x = self.embedding(tokens).transpose((0, 2, 1))
        pooled = [F.max(conv(x), axis=2) for conv in self.convs]
        return self.out(F.concat(*pooled, dim=1))


class BagOfWords(gluon.nn.HybridBlock):
    """The mean of the embeddings of the words that are there."""

    def __init__(self, vocabulary, units, **kwargs):
        super().__init__(**kwargs)
        self.embedding = gluon.nn.Embedding(vocabulary, units)

    def hybrid_forward(self, F, tokens, mask):
        weights = mask.expand_dims(axis=2)
        total = F.sum(F.broadcast_mul(self.embedding(tokens), weights), axis=1)
        return F.broadcast_div(total, F.sum(weights, axis=1) + 1e-6)
