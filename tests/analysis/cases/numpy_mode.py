from mxnet import npx
from mxnet.gluon import HybridBlock

npx.set_np()


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        a = x[:, 1]  # -> Subscript
        b = abs(x) * F.np.mean(x, axis=1, keepdims=True)  # -> AttributeRead.__abs__
        c = (x > 0) & (x < 1)  # -> Binary.failure
        return F.np.dot(a, x.T) * b * c  # -> AttributeRead.T
