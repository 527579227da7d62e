"""Plain blocks of numpy mode."""

from mxnet import np, npx
from mxnet.gluon import nn

npx.set_np()


class Perceptron(nn.Block):
    def __init__(self, hidden, outputs, **kwargs):
        super().__init__(**kwargs)
        self.hidden = nn.Dense(hidden)
        self.out = nn.Dense(outputs)

    def forward(self, X):
        return self.out(npx.relu(self.hidden(X)))


class Fixed(nn.Block):
    """A layer whose weights are not learned."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.weight = np.ones((units, units)) * 0.5
        self.dense = nn.Dense(units)

    def forward(self, X):
        X = self.dense(X)
        X = npx.relu(np.dot(X, self.weight) + 1)
        return self.dense(X).sum(axis=1)


class Normed(nn.Block):
    def __init__(self, units, eps=1e-5, **kwargs):
        super().__init__(**kwargs)
        self.eps = eps
        self.scale = self.params.get("scale", shape=(units,), init="ones")

    def forward(self, X):
        spread = np.sqrt(np.mean(np.square(X), axis=-1, keepdims=True) + self.eps)
        return X / spread * self.scale.data()
