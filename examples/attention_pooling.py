"""Attention pooling, as one writes it first: it works eagerly, and breaks or changes silently after hybridize()."""

from mxnet import nd
from mxnet.gluon import nn


class AttentionPooling(nn.HybridBlock):
    """Turn a sequence into one vector: a sum of its steps, weighted by how well they match the first one."""

    def __init__(self, units=8, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.project = nn.Dense(units, flatten=False)
            self.bias = self.params.get("bias", shape=(1, 1, units), init="ones")

    # hybridlint: shapes(x=("N", 6, 8))
    def hybrid_forward(self, F, x, bias):
        keys = self.project(x) + bias  # (N, 6, 8) + (1, 1, 8)
        keys *= 0.5
        query = keys[:, 0]  # the first step asks
        scores = F.batch_dot(keys, query.expand_dims(axis=2))
        weights = nd.softmax(scores.reshape((scores.shape[0], -1)))
        # No step may take it all.
        weights = weights.clip(0.0, 0.9) if weights.max() > 0.9 else weights
        return F.batch_dot(weights.expand_dims(axis=1), keys).reshape((0, -1))


class Pair(nn.HybridBlock):
    """Compare the first item of a batch with all others."""

    # hybridlint: shapes(x=("N", 8))
    def hybrid_forward(self, F, x):
        first = x[0]
        return F.sqrt(F.square(F.broadcast_sub(x, first.expand_dims(axis=0))).sum(axis=1))
