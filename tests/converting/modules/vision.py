from mxnet import gluon
from mxnet.gluon import nn


class InvertedResidual(gluon.HybridBlock):
    def __init__(self, in_channels=4, channels=8, t=6, stride=1, **kwargs):
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        with self.name_scope():
            self.out = nn.HybridSequential()
            self.out.add(
                nn.Conv2D(in_channels * t, 1, use_bias=False),
                nn.BatchNorm(scale=True),
                nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)),
                nn.Conv2D(in_channels * t, 3, stride, 1, groups=in_channels * t, use_bias=False),
                nn.BatchNorm(scale=True),
                nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)),
                nn.Conv2D(channels, 1, use_bias=False),
                nn.BatchNorm(scale=True),
            )

    def hybrid_forward(self, F, x):
        out = self.out(x)
        if self.use_shortcut:
            out = F.elemwise_add(out, x)
        return out


class DenseBlock(gluon.HybridBlock):
    def __init__(self, growth=4, layers=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.layers = nn.HybridSequential()
            for _ in range(layers):
                layer = nn.HybridSequential()
                layer.add(nn.BatchNorm(), nn.Activation('relu'), nn.Conv2D(growth, kernel_size=3, padding=1))
                self.layers.add(layer)

    def hybrid_forward(self, F, x):
        for layer in self.layers:
            x = F.concat(x, layer(x), dim=1)
        return x


class FPN(gluon.HybridBlock):
    def __init__(self, channels=8, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.lat1 = nn.Conv2D(channels, 1)
            self.lat2 = nn.Conv2D(channels, 1)
            self.smooth = nn.Conv2D(channels, 3, padding=1)

    def hybrid_forward(self, F, c1, c2):
        p2 = self.lat2(c2)
        up = F.UpSampling(p2, scale=2, sample_type='nearest')
        up = F.slice_like(up, c1, axes=(2, 3))
        p1 = self.smooth(F.elemwise_add(up, self.lat1(c1)))
        return p1, p2


class GatedConv(gluon.HybridBlock):
    def __init__(self, channels=6, dilation=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.f = nn.Conv1D(channels, 3, padding=dilation, dilation=dilation)
            self.g = nn.Conv1D(channels, 3, padding=dilation, dilation=dilation)
            self.norm = nn.GroupNorm(num_groups=2)
            self.act = nn.PReLU()

    def hybrid_forward(self, F, x):
        y = F.tanh(self.f(x)) * F.sigmoid(self.g(x))
        return self.act(self.norm(y))


class SpatialAttention(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.conv = nn.Conv2D(1, kernel_size=7, padding=3, use_bias=False)

    def hybrid_forward(self, F, x):
        avg = F.mean(x, axis=1, keepdims=True)
        mx_ = F.max(x, axis=1, keepdims=True)
        a = F.sigmoid(self.conv(F.concat(avg, mx_, dim=1)))
        return F.broadcast_mul(x, a)
