import mxnet as mx
from mxnet import nd
from mxnet.gluon import HybridBlock


class Guards(HybridBlock):
    def hybrid_forward(self, F, x, y):
        if F is nd:
            print(x.shape)
        if isinstance(x, mx.sym.Symbol):
            x = F.reshape_like(x, y)
        else:
            x = x.reshape(y.shape)
        k = x.shape[0] if hasattr(x, "shape") else 1  # -> GuardEvent.differs
        return x * k


class Differs(HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2 if F is mx.nd else x * 3  # -> GuardEvent.differs


class DiffersByName(HybridBlock):
    def hybrid_forward(self, F, x):
        eager = F.__name__.endswith("ndarray")
        if eager:  # -> GuardEvent.differs
            return x + 1
        return x + 2


class EagerAfterRaise(HybridBlock):
    def hybrid_forward(self, F, x):
        if F is mx.sym:
            raise ValueError("only eagerly")
        return x[1] * x.shape[0]


class ShortCircuit(HybridBlock):
    def hybrid_forward(self, F, x):
        if F is nd and x.shape[0] > 3:  # -> GuardEvent.differs
            return F.relu(x)
        return F.sigmoid(x)
