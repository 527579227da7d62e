import math

from mxnet.gluon import nn


class MultiHeadAttention(nn.HybridBlock):
    """Scaled dot-product attention with several heads."""

    def __init__(self, units=32, heads=4, dropout=0.1, **kwargs):
        super().__init__(**kwargs)
        self._units = units
        self._heads = heads
        with self.name_scope():
            self.query = nn.Dense(units, flatten=False, use_bias=False)
            self.key = nn.Dense(units, flatten=False, use_bias=False)
            self.value = nn.Dense(units, flatten=False, use_bias=False)
            self.proj = nn.Dense(units, flatten=False)
            self.dropout = nn.Dropout(dropout)

    def _split(self, F, x):
        # (N, T, C) -> (N * heads, T, C / heads)
        x = F.reshape(x, shape=(0, 0, self._heads, -1))
        x = F.transpose(x, axes=(0, 2, 1, 3))
        return F.reshape(x, shape=(-3, 0, 0))

    def hybrid_forward(self, F, x):
        q = self._split(F, self.query(x))
        k = self._split(F, self.key(x))
        v = self._split(F, self.value(x))
        scores = F.batch_dot(q, k, transpose_b=True) / math.sqrt(self._units // self._heads)
        weights = self.dropout(F.softmax(scores, axis=-1))
        out = F.batch_dot(weights, v)
        out = F.reshape(out, shape=(-4, -1, self._heads, 0, 0))
        out = F.reshape(out.transpose((0, 2, 1, 3)), shape=(0, 0, -3))
        return self.proj(out)


class EncoderLayer(nn.HybridBlock):
    def __init__(self, units=32, hidden=64, heads=4, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.attention = MultiHeadAttention(units, heads)
            self.norm1 = nn.LayerNorm()
            self.ffn = nn.HybridSequential()
            self.ffn.add(nn.Dense(hidden, flatten=False), nn.GELU(), nn.Dense(units, flatten=False))
            self.norm2 = nn.LayerNorm()

    def hybrid_forward(self, F, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.ffn(x))
