"""Plain blocks of recommenders, with parameters of their own."""

from mxnet import gluon, init, nd


class FactorizationMachine(gluon.Block):
    def __init__(self, fields, factors, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.linear = self.params.get("linear", shape=(fields, 1))
            self.factors = self.params.get("factors", shape=(fields, factors), init=init.Normal(0.1))
            self.bias = self.params.get("bias", shape=(1,), init="zeros")

    def forward(self, x):
        linear = nd.dot(x, self.linear.data())
        factors = self.factors.data()
        together = nd.square(nd.dot(x, factors))
        alone = nd.dot(nd.square(x), nd.square(factors))
        pairs = 0.5 * nd.sum(together - alone, axis=1, keepdims=True)
        return nd.broadcast_add(linear + pairs, self.bias.data())


class Scorer(gluon.Block):
    """Users times items, with a bias of both."""

    def __init__(self, users, items, factors, **kwargs):
        super().__init__(**kwargs)
        self.user = gluon.nn.Embedding(users, factors)
        self.item = gluon.nn.Embedding(items, factors)
        self.scale = self.params.get("scale", shape=(factors,), init="ones")

    def forward(self, user, item):
        return self.score(self.user(user), self.item(item))

    def score(self, p, q):
        return nd.sum(nd.broadcast_mul(p * q, self.scale.data()), axis=-1)

    def rank(self, p, q):
        return nd.argsort(self.score(p, q), is_ascend=False)

    def predict(self, user, item):
        """Return scores between 0 and 1."""
        return nd.sigmoid(self.score(self.user(user), self.item(item)))


def best(scorer, users, item):
    """Return the scores of users who are given by their factors."""
    return scorer.rank(users, scorer.item(item))


class Ranking(gluon.loss.Loss):
    def __init__(self, margin=1.0, weight=None, batch_axis=0, **kwargs):
        super().__init__(weight, batch_axis, **kwargs)
        self.margin = margin

    def forward(self, positive, negative):
        distances = positive - negative
        return nd.sum(nd.maximum(self.margin - distances, 0), axis=0, exclude=True)
