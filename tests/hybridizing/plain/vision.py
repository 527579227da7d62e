"""Plain blocks of vision, as people write them first."""

from mxnet import nd
from mxnet.gluon import nn


class Residual(nn.Block):
    def __init__(self, channels, strides=1, **kwargs):
        super().__init__(**kwargs)
        self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2D(channels, kernel_size=1, strides=strides)
        self.bn1 = nn.BatchNorm()
        self.bn2 = nn.BatchNorm()

    def forward(self, X):
        Y = nd.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        # The shortcut has as many channels as the rest.
        return nd.relu(Y + self.conv3(X))


class SqueezeExcite(nn.Block):
    """Weighs channels by what is in them."""

    def __init__(self, channels, reduction=2, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.Sequential()
            self.body.add(nn.Dense(channels // reduction, activation="relu"))
            self.body.add(nn.Dense(channels, activation="sigmoid"))

    def forward(self, x):
        w = nd.mean(x, axis=(2, 3))
        w = self.body(w)
        return nd.broadcast_mul(x, w.expand_dims(2).expand_dims(3))


class SpatialAttention(nn.Block):
    def __init__(self, kernel_size=7, **kwargs):
        super().__init__(**kwargs)
        self.conv = nn.Conv2D(1, kernel_size, padding=kernel_size // 2, use_bias=False)

    def _pooled(self, x):
        average = nd.mean(x, axis=1, keepdims=True)
        highest = nd.max(x, axis=1, keepdims=True)
        return nd.concat(average, highest, dim=1)

    def forward(self, x):
        scale = nd.sigmoid(self.conv(self._pooled(x)))
        return x * scale


class Pyramid(nn.Block):
    """Several scales, each brought to the size of the largest."""

    def __init__(self, channels, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.lateral = nn.Conv2D(channels, 1)
            self.down = nn.Conv2D(channels, 3, strides=2, padding=1)
            self.smooth = nn.Conv2D(channels, 3, padding=1)

    def forward(self, x):
        fine = self.lateral(x)
        coarse = self.down(fine)
        up = nd.UpSampling(coarse, scale=2, sample_type="nearest")
        return self.smooth(fine + up), coarse


class ChannelShuffle(nn.Block):
    def __init__(self, groups, **kwargs):
        super().__init__(**kwargs)
        self._groups = groups

    def forward(self, x):
        n, c, h, w = x.shape
        x = x.reshape((n, self._groups, c // self._groups, h, w))
        x = x.swapaxes(1, 2)
        return x.reshape((n, c, h, w))
