"""Blocks whose parameters and constants depend on an argument, as people write them."""

from mxnet import nd
from mxnet.gluon import HybridBlock


class GraphConv(HybridBlock):
    def __init__(self, in_feats, out_feats, bias=True):
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(in_feats, out_feats))
            self.bias = self.params.get("bias", shape=(out_feats,), init="zeros") if bias else None

    def hybrid_forward(self, F, adj, h, weight, bias=None):
        h = F.dot(adj, F.dot(h, weight))
        if self.bias is not None:
            h = F.broadcast_add(h, bias)
        return h


class Affine(HybridBlock):
    def __init__(self, units, center=True, scale=True):
        super().__init__()
        self.center = center
        self.gamma = None
        with self.name_scope():
            if center:
                self.beta = self.params.get("beta", shape=(units,))
            if scale:
                self.gamma = self.params.get("gamma", shape=(units,))

    def hybrid_forward(self, F, x, gamma=None, beta=None):
        if self.gamma is not None:
            x = F.broadcast_mul(x, gamma)
        return self.shifted(F, x, beta=beta)

    def shifted(self, F, x, beta):
        return F.broadcast_add(x, beta) if self.center else x

    def centred(self, x):
        return self.shifted(nd, x, beta=None if getattr(self, "beta", None) is None else self.beta.data()).mean()


class Causal(HybridBlock):
    def __init__(self, length, causal=False):
        super().__init__()
        self.causal = causal
        if causal:
            steps = nd.arange(length)
            self.mask = self.params.get_constant(
                "mask", nd.broadcast_lesser_equal(steps.expand_dims(0), steps.expand_dims(1))
            )
        if length > 4:
            self.scale = self.params.get("scale", shape=(1,))
        else:
            self.scale = self.params.get("small_scale", shape=(1,))

    def hybrid_forward(self, F, scores, weights=None, *, scale, mask=None):
        if self.causal:
            scores = F.broadcast_mul(scores, mask.expand_dims(0))
        scores = scores if weights is None else scores * weights
        return F.broadcast_mul(F.softmax(scores), scale)
