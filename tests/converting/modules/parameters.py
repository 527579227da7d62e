import mxnet as mx
from mxnet.gluon import nn


class ScaledLinear(nn.HybridBlock):
    """A linear layer with a learned temperature and a fixed offset."""

    def __init__(self, in_units=8, units=4, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(units, in_units), init=mx.init.Xavier())
            self.bias = self.params.get("bias", shape=(units,), init="zeros")
            self.temperature = self.params.get("temperature", shape=(1,), init=mx.init.Constant(2.0))
            self.offset = self.params.get_constant("offset", mx.nd.arange(units))

    def hybrid_forward(self, F, x, weight, bias, temperature, offset):
        y = F.dot(x, weight, transpose_b=True)
        y = F.broadcast_add(y, bias.expand_dims(0))
        y = F.broadcast_div(y, temperature)
        return F.broadcast_sub(y, offset)


class Centers(nn.HybridBlock):
    def __init__(self, classes=5, features=6, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.fc = nn.Dense(features, weight_initializer=mx.init.Normal(0.02), bias_initializer="zeros")
            self.centers = self.params.get("centers", shape=(classes, features), init=mx.init.Normal(0.1))

    def hybrid_forward(self, F, x, centers):
        y = F.L2Normalization(self.fc(x), mode="instance")
        distance = F.broadcast_sub(F.expand_dims(y, 1), F.expand_dims(centers, 0))
        return F.sum(F.square(distance), axis=2)
