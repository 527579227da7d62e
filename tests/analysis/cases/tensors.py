import math

import numpy as np
from mxnet import nd
from mxnet.gluon import HybridBlock


class Attributes(HybridBlock):
    def hybrid_forward(self, F, x, y):
        n = x.shape[0]  # -> AttributeRead.shape
        z = F.zeros_like(x)
        print(z.dtype)  # -> AttributeRead.dtype SideEffect.print
        x.tag = 1  # -> AttributeStore
        return y * n


class Subscripts(HybridBlock):
    def hybrid_forward(self, F, x, y):
        a = x[0]  # -> Subscript
        b = x[:, 1]  # -> Subscript
        c = F.split(x, num_outputs=3, axis=1)
        x[0] = 1  # -> TensorStore
        d = {"a": x, "b": y}
        e = [x, y]
        e[0] = e[1] * 2
        return a * b + c[1] * d["a"] + e[0]  # -> Subscript


class ToPython(HybridBlock):
    def hybrid_forward(self, F, x, y):
        n = len(x)  # -> Concretize.len
        for row in x:  # -> Concretize.iteration
            y = y + row
        a, b = x  # -> Concretize.unpacking
        c = F.stack(*x)  # -> Concretize.star
        d = sum(x)  # -> Concretize.sum
        e = float(x.sum())  # -> Concretize.float
        f = {x}  # -> Concretize.hash
        return y * n + a * b + c * d * e


class Lists(HybridBlock):
    def hybrid_forward(self, F, x, y):
        outs = []
        for i in range(3):
            outs.append(x * i)
        total = sum(outs)
        first, *rest = outs
        x = [x, y]
        x = F.concat(*x, dim=0)
        count = 0
        count += 1
        return total * len(outs) + first + rest[0] * count + x


class Branches(HybridBlock):
    def hybrid_forward(self, F, x, y=None, flag=False):
        if x.sum() > 0:  # -> Branch.if
            x = x * 2
        while x.mean() < 1:  # -> Branch.while
            x = x * 2
        assert x.max() > 0  # -> Branch.assert
        z = x * 2 if x.min() > 0 else x  # -> Branch.ternary
        if y is None:
            y = F.ones_like(x)
        if flag:
            y = y * 2
        return z * y


class Foreign(HybridBlock):
    def hybrid_forward(self, F, x):
        a = np.exp(x)  # -> ForeignCall
        b = math.sqrt(2) * np.pi
        c = nd.ones((2, 3))
        return a * b + F.broadcast_mul(x, c)


class Shapes(HybridBlock):
    # hybridlint: shapes(x=("N", 4), y=(1, 4))
    def hybrid_forward(self, F, x, y):
        a = x + y[0]  # -> Binary.failure Subscript
        b = F.broadcast_add(x, y)
        c = b + F.ones((5,))  # -> Binary.failure
        d = F.maximum(x, F.zeros((1, 1, 4)))  # -> OpCall.failure
        return a * b + c * d


class Relations(HybridBlock):
    def hybrid_forward(self, F, x):
        mean = x.mean(axis=1, keepdims=True)
        a = x - mean  # -> Binary.failure
        b = F.broadcast_sub(x, mean) * F.relu(x)
        c = x.expand_dims(axis=0) * x  # -> Binary.failure
        d = x / F.norm(x)  # -> Binary.failure
        return a + b + c + d
