"""Plain blocks of a library for numpy mode, which its users switch on."""

from mxnet import nd, np
from mxnet.gluon import nn


class MultiHead(nn.HybridBlock):
    """Its helpers call no operator as they stand, and need F for reshape codes."""

    def __init__(self, units, heads, **kwargs):
        super().__init__(**kwargs)
        self.heads = heads
        self.query = nn.Dense(units, flatten=False)
        self.key = nn.Dense(units, flatten=False)
        self.out = nn.Dense(units, flatten=False)

    def hybrid_forward(self, F, X, Y):
        left, right = apart(self.query(X), self.heads, F=F), apart(self.key(Y), self.heads, F=F)
        weights = F.npx.softmax(F.npx.batch_dot(left, right, transpose_b=True))
        return self.out(together(F.npx.batch_dot(weights, right), self.heads, F=F))


def apart(X, heads, F=nd):
    X = F.npx.reshape(X, (-2, -2, heads, -1))
    X = X.transpose(0, 2, 1, 3)
    return F.npx.reshape(X, (-5, -2, -2))


def together(X, heads, F=nd):
    X = F.npx.reshape(X, (-6, -1, heads, -2, -2))
    X = X.transpose(0, 2, 1, 3)
    return F.npx.reshape(X, (-2, -2, -1))
