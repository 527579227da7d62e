import numpy as np
import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn, loss as gloss


class TransformerEmbedding(gluon.HybridBlock):
    def __init__(self, vocab=30, units=8, max_length=16, **kwargs):
        super().__init__(**kwargs)
        self._units = units
        with self.name_scope():
            self.word = nn.Embedding(vocab, units)
            self.position = self.params.get('position', shape=(max_length, units), init='normal')
            self.norm = nn.LayerNorm(in_channels=units)
            self.dropout = nn.Dropout(0.1)

    def hybrid_forward(self, F, tokens, position):
        x = self.word(tokens) * np.sqrt(self._units)
        pos = F.slice_like(F.expand_dims(position, axis=0), x, axes=(1,))
        x = F.broadcast_add(x, pos)
        return self.dropout(self.norm(x))


class WithLoss(gluon.HybridBlock):
    def __init__(self, classes=4, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.net = nn.Dense(classes)
            self.loss = gloss.SoftmaxCrossEntropyLoss()

    def hybrid_forward(self, F, x, label):
        return self.loss(self.net(x), label)


class AutoEncoder(gluon.HybridBlock):
    def __init__(self, sizes=(16, 8, 4), **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.encoder = nn.HybridSequential()
            for size in sizes:
                self.encoder.add(nn.Dense(size, activation='relu'))
            self.decoder = nn.HybridSequential()
            for size in sizes[-2::-1]:
                self.decoder.add(nn.Dense(size, activation='relu'))
            self.mse = gloss.L2Loss()

    def hybrid_forward(self, F, x):
        code = self.encoder(x)
        return self.decoder(code), code


class Squash(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        norm = F.sum(F.square(x), axis=-1, keepdims=True)
        scale = norm / (1 + norm)
        return F.broadcast_mul(scale, x) / F.sqrt(norm + 1e-9)


class AdditiveAttention(gluon.HybridBlock):
    def __init__(self, units=8, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.W = nn.Dense(units, use_bias=False, flatten=False)
            self.U = nn.Dense(units, use_bias=False, flatten=False)
            self.v = nn.Dense(1, use_bias=False, flatten=False)

    def hybrid_forward(self, F, query, keys, mask=None):
        q = F.expand_dims(self.W(query), axis=1)
        scores = self.v(F.tanh(F.broadcast_add(q, self.U(keys))))
        scores = F.squeeze(scores, axis=-1)
        if mask is not None:
            scores = F.where(mask, scores, -1e9 * F.ones_like(scores))
        weights = F.softmax(scores, axis=1)
        return F.squeeze(F.batch_dot(F.expand_dims(weights, axis=1), keys), axis=1)


class LabelSmoothing(gloss.Loss):
    def __init__(self, classes=5, eps=0.1, weight=None, batch_axis=0, **kwargs):
        super().__init__(weight, batch_axis, **kwargs)
        self._eps = eps
        self._classes = classes

    def hybrid_forward(self, F, pred, label):
        logp = F.log_softmax(pred, axis=-1)
        target = F.one_hot(label, self._classes) * (1 - self._eps) + self._eps / self._classes
        return -F.sum(logp * target, axis=-1)


class GraphConv(gluon.HybridBlock):
    def __init__(self, units=6, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.fc = nn.Dense(units, flatten=False, activation='relu')

    def hybrid_forward(self, F, x, adj):
        deg = F.sum(adj, axis=2, keepdims=True) + 1e-6
        return self.fc(F.batch_dot(F.broadcast_div(adj, deg), x))
