"""Plain blocks of a library for numpy mode, which its users switch on."""

from mxnet import np, npx
from mxnet.gluon import nn


class MultiHead(nn.Block):
    """Its helpers call no operator as they stand, and need F for reshape codes."""

    def __init__(self, units, heads, **kwargs):
        super().__init__(**kwargs)
        self.heads = heads
        self.query = nn.Dense(units, flatten=False)
        self.key = nn.Dense(units, flatten=False)
        self.out = nn.Dense(units, flatten=False)

    def forward(self, X, Y):
        left, right = apart(self.query(X), self.heads), apart(self.key(Y), self.heads)
        weights = npx.softmax(npx.batch_dot(left, right, transpose_b=True))
        return self.out(together(npx.batch_dot(weights, right), self.heads))


def apart(X, heads):
    X = X.reshape(X.shape[0], X.shape[1], heads, -1)
    X = X.transpose(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])


def together(X, heads):
    X = X.reshape(-1, heads, X.shape[1], X.shape[2])
    X = X.transpose(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)
