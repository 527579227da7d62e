"""Blocks that are built and called in many ways."""

from enum import Enum

from mxnet.gluon import nn, rnn


class Mode(Enum):
    """A setting."""

    SUM = 1
    MEAN = 2


def double(x):
    """Return twice as much."""
    return x * 2


class Head(nn.HybridBlock):
    """Takes other blocks, functions, and perhaps a mask."""

    def __init__(self, units, body, act=None, mode=Mode.SUM, scales=(1.0,), **kwargs):
        super().__init__(**kwargs)
        self.act = act
        self.mode = mode
        self.scale = scales[0]
        self.body = body
        self.out = nn.Dense(units, flatten=False, weight_initializer="zeros")

    def hybrid_forward(self, F, x, mask=None):
        y = self.body(x)
        y = self.out(self.act(y) if self.act else y) * self.scale
        return y if mask is None else F.broadcast_mul(y, mask)


class Net(nn.HybridBlock):
    """Builds its parts itself."""

    def __init__(self, vocabulary, units=8, **kwargs):
        super().__init__(**kwargs)
        body = nn.HybridSequential()
        body.add(nn.Dense(units, flatten=False), nn.Dropout(0.1))
        self.embedding = nn.Embedding(vocabulary, units)
        self.head = Head(5, body, act=lambda x: x * 2)
        self.other = Head(units=5, body=body, act=double, mode=Mode.MEAN, scales=[0.5, None], prefix="other_")

    def hybrid_forward(self, F, tokens, mask):
        embedded = self.embedding(tokens)
        return self.head(embedded, mask) + self.other(embedded)


class Steps(nn.HybridBlock):
    """Takes a list of states."""

    def __init__(self, cell, initializer=None, table=None, **kwargs):
        super().__init__(**kwargs)
        self.cell = cell
        self.weight = self.params.get("weight", shape=(1,), init=initializer)
        self.table = table

    def hybrid_forward(self, F, x, states, flag=True, weight=None):
        y, states = self.cell(x, states)
        return F.broadcast_mul(y, weight) if flag else y, states


def steps():
    """Return a block of parts of MXNet."""
    return Steps(rnn.LSTMCell(4, input_size=3))
