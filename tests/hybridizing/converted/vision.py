"""Plain blocks of vision, as people write them first."""

from mxnet.gluon import nn


class Residual(nn.HybridBlock):
    def __init__(self, channels, strides=1, **kwargs):
        super().__init__(**kwargs)
        self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2D(channels, kernel_size=1, strides=strides)
        self.bn1 = nn.BatchNorm()
        self.bn2 = nn.BatchNorm()

    def hybrid_forward(self, F, X):
        Y = F.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        # The shortcut has as many channels as the rest.
        return F.relu(Y + self.conv3(X))


class SqueezeExcite(nn.HybridBlock):
    """Weighs channels by what is in them."""

    def __init__(self, channels, reduction=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Dense(channels // reduction, activation="relu"))
            self.body.add(nn.Dense(channels, activation="sigmoid"))

    def hybrid_forward(self, F, x):
        w = F.mean(x, axis=(2, 3))
        w = self.body(w)
        return F.broadcast_mul(x, w.expand_dims(2).expand_dims(3))


class SpatialAttention(nn.HybridBlock):
    def __init__(self, kernel_size=7, **kwargs):
        super().__init__(**kwargs)
        self.conv = nn.Conv2D(1, kernel_size, padding=kernel_size // 2, use_bias=False)

    def _pooled(self, F, x):
        average = F.mean(x, axis=1, keepdims=True)
        highest = F.max(x, axis=1, keepdims=True)
        return F.concat(average, highest, dim=1)

    def hybrid_forward(self, F, x):
        scale = F.sigmoid(self.conv(self._pooled(F, x)))
        return F.broadcast_mul(x, scale)


class Pyramid(nn.HybridBlock):
    """Several scales, each brought to the size of the largest."""

    def __init__(self, channels, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.lateral = nn.Conv2D(channels, 1)
            self.down = nn.Conv2D(channels, 3, strides=2, padding=1)
            self.smooth = nn.Conv2D(channels, 3, padding=1)

    def hybrid_forward(self, F, x):
        fine = self.lateral(x)
        coarse = self.down(fine)
        up = F.UpSampling(coarse, scale=2, sample_type="nearest")
        return self.smooth(fine + up), coarse


class ChannelShuffle(nn.HybridBlock):
    def __init__(self, groups, **kwargs):
        super().__init__(**kwargs)
        self._groups = groups

    def hybrid_forward(self, F, x):
        x = x.reshape((0, -4, self._groups, -1, 0, 0))
        x = x.swapaxes(1, 2)
        return x.reshape((0, -3, 0, 0))
