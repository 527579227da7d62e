"""Plain blocks of numpy mode."""

from mxnet import np, npx
from mxnet.gluon import nn

npx.set_np()


class Perceptron(nn.HybridBlock):
    def __init__(self, hidden, outputs, **kwargs):
        super().__init__(**kwargs)
        self.hidden = nn.Dense(hidden)
        self.out = nn.Dense(outputs)

    def hybrid_forward(self, F, X):
        return self.out(F.npx.relu(self.hidden(X)))


class Fixed(nn.HybridBlock):
    """A layer whose weights are not learned."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get_constant("weight", np.ones((units, units)) * 0.5)
        self.dense = nn.Dense(units)

    def hybrid_forward(self, F, X, weight):
        X = self.dense(X)
        X = F.npx.relu(F.np.dot(X, weight) + 1)
        return self.dense(X).sum(axis=1)


class Normed(nn.HybridBlock):
    def __init__(self, units, eps=1e-5, **kwargs):
        super().__init__(**kwargs)
        self.eps = eps
        self.scale = self.params.get("scale", shape=(units,), init="ones")

    def hybrid_forward(self, F, X, scale):
        spread = F.np.sqrt(F.np.mean(F.np.square(X), axis=-1, keepdims=True) + self.eps)
        return X / spread * scale
