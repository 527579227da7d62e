"""Plain blocks of recommenders, with parameters of their own."""

from mxnet import gluon, init, nd


class FactorizationMachine(gluon.HybridBlock):
    def __init__(self, fields, factors, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.linear = self.params.get("linear", shape=(fields, 1))
            self.factors = self.params.get("factors", shape=(fields, factors), init=init.Normal(0.1))
            self.bias = self.params.get("bias", shape=(1,), init="zeros")

    def hybrid_forward(self, F, x, linear, factors, bias):
        linear_ = F.dot(x, linear)
        together = F.square(F.dot(x, factors))
        alone = F.dot(F.square(x), F.square(factors))
        pairs = 0.5 * F.sum(together - alone, axis=1, keepdims=True)
        return F.broadcast_add(linear_ + pairs, bias)


class Scorer(gluon.HybridBlock):
    """Users times items, with a bias of both."""

    def __init__(self, users, items, factors, **kwargs):
        super().__init__(**kwargs)
        self.user = gluon.nn.Embedding(users, factors)
        self.item = gluon.nn.Embedding(items, factors)
        self.scale = self.params.get("scale", shape=(factors,), init="ones")

    def hybrid_forward(self, F, user, item, scale):
        return self.score(F, self.user(user), self.item(item), scale=scale)

    def score(self, F, p, q, scale):
        return F.sum(F.broadcast_mul(p * q, scale), axis=-1)

    def rank(self, p, q):
        return nd.argsort(self.score(nd, p, q, scale=self.scale.data()), is_ascend=False)

    def predict(self, user, item):
        """Return scores between 0 and 1."""
        return nd.sigmoid(self.score(nd, self.user(user), self.item(item), scale=self.scale.data()))


def best(scorer, users, item):
    """Return the scores of users who are given by their factors."""
    return scorer.rank(users, scorer.item(item))


class Ranking(gluon.loss.Loss):
    def __init__(self, margin=1.0, weight=None, batch_axis=0, **kwargs):
        super().__init__(weight, batch_axis, **kwargs)
        self.margin = margin

    def hybrid_forward(self, F, positive, negative):
        distances = positive - negative
        return F.sum(F.maximum(self.margin - distances, 0), axis=0, exclude=True)
