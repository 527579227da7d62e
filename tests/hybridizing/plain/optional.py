"""Blocks whose parameters and constants depend on an argument, as people write them."""

from mxnet import nd
from mxnet.gluon import Block


class GraphConv(Block):
    def __init__(self, in_feats, out_feats, bias=True):
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(in_feats, out_feats))
            self.bias = self.params.get("bias", shape=(out_feats,), init="zeros") if bias else None

    def forward(self, adj, h):
        h = nd.dot(adj, nd.dot(h, self.weight.data(h.context)))
        if self.bias is not None:
            h = h + self.bias.data(h.context)
        return h


class Affine(Block):
    def __init__(self, units, center=True, scale=True):
        super().__init__()
        self.center = center
        self.gamma = None
        with self.name_scope():
            if center:
                self.beta = self.params.get("beta", shape=(units,))
            if scale:
                self.gamma = self.params.get("gamma", shape=(units,))

    def forward(self, x):
        if self.gamma is not None:
            x = x * self.gamma.data()
        return self.shifted(x)

    def shifted(self, x):
        return x + self.beta.data() if self.center else x

    def centred(self, x):
        return self.shifted(x).mean()


class Causal(Block):
    def __init__(self, length, causal=False):
        super().__init__()
        self.causal = causal
        if causal:
            steps = nd.arange(length)
            self.mask = nd.broadcast_lesser_equal(steps.expand_dims(0), steps.expand_dims(1))
        if length > 4:
            self.scale = self.params.get("scale", shape=(1,))
        else:
            self.scale = self.params.get("small_scale", shape=(1,))

    def forward(self, scores, weights=None):
        if self.causal:
            scores = scores * self.mask.expand_dims(0)
        scores = scores if weights is None else scores * weights
        return nd.softmax(scores) * self.scale.data()
