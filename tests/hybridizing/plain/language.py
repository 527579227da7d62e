"""Plain blocks of language."""

import math

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import Block, nn


def masked(scores, mask):
    """Hide what the mask leaves out."""
    if mask is None:
        return scores
    return nd.where(mask, scores, nd.ones_like(scores) * -1e9)


class DotAttention(Block):
    def __init__(self, units, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        with self.name_scope():
            self.query = nn.Dense(units, flatten=False, use_bias=False)
            self.key = nn.Dense(units, flatten=False, use_bias=False)
            self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, mask=None):
        scores = nd.batch_dot(self.query(x), self.key(memory), transpose_b=True) / math.sqrt(self.units)
        weights = self.dropout(nd.softmax(masked(scores, mask), axis=-1))
        return nd.batch_dot(weights, memory)


class Highway(Block):
    def __init__(self, units, layers=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.layers = nn.Sequential()
            for _ in range(layers):
                self.layers.add(nn.Dense(2 * units))

    def forward(self, x):
        for layer in self.layers:
            transformed, gate = nd.split(layer(x), num_outputs=2, axis=1)
            gate = nd.sigmoid(gate)
            x = gate * nd.relu(transformed) + (1 - gate) * x
        return x


class TextCNN(Block):
    def __init__(self, vocabulary, units, kernels=(2, 3), **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(vocabulary, units)
            self.convs = nn.Sequential()
            for size in kernels:
                self.convs.add(nn.Conv1D(units, size, activation="relu"))
            self.out = nn.Dense(2)

    def forward(self, tokens):
        x = self.embedding(tokens).transpose((0, 2, 1))
        pooled = [nd.max(conv(x), axis=2) for conv in self.convs]
        return self.out(nd.concat(*pooled, dim=1))


class BagOfWords(gluon.nn.Block):
    """The mean of the embeddings of the words that are there."""

    def __init__(self, vocabulary, units, **kwargs):
        super().__init__(**kwargs)
        self.embedding = gluon.nn.Embedding(vocabulary, units)

    def forward(self, tokens, mask):
        weights = mask.expand_dims(axis=2)
        total = mx.nd.sum(mx.nd.broadcast_mul(self.embedding(tokens), weights), axis=1)
        return mx.nd.broadcast_div(total, mx.nd.sum(weights, axis=1) + 1e-6)
