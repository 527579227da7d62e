from mxnet.gluon import nn


class MaskedMean(nn.HybridBlock):
    """The mean of the vectors of words that are not padding (0)."""

    def __init__(self, vocab=30, size=12, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed = nn.Embedding(vocab, size)
            self.out = nn.Dense(3, in_units=size)

    def hybrid_forward(self, F, tokens):
        mask = (tokens != 0).expand_dims(axis=-1)
        vectors = F.broadcast_mul(self.embed(tokens), mask)
        count = F.maximum(F.sum(mask, axis=1), 1)
        return self.out(F.broadcast_div(F.sum(vectors, axis=1), count))


class Siamese(nn.HybridBlock):
    def __init__(self, **kwargs):
        super(Siamese, self).__init__(**kwargs)
        with self.name_scope():
            self.tower = nn.HybridSequential()
            with self.tower.name_scope():
                self.tower.add(nn.Dense(16, activation="tanh"))
                self.tower.add(nn.Dense(8))

    def hybrid_forward(self, F, left, right):
        a, b = self.tower(left), self.tower(right)
        a = F.broadcast_div(a, F.norm(a, axis=1, keepdims=True))
        b = F.broadcast_div(b, F.norm(b, axis=1, keepdims=True))
        return F.sum(a * b, axis=-1), F.clip(F.abs(a - b), 0, 1)
