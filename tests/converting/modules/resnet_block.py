from mxnet.gluon import nn
from mxnet.gluon.block import HybridBlock


def conv3x3(channels, stride, in_channels):
    return nn.Conv2D(channels, kernel_size=3, strides=stride, padding=1, use_bias=False, in_channels=in_channels)


class BasicBlock(HybridBlock):
    """A residual block with two convolutions."""

    def __init__(self, channels, stride, downsample=False, in_channels=0, **kwargs):
        super(BasicBlock, self).__init__(**kwargs)
        self.body = nn.HybridSequential(prefix="")
        self.body.add(conv3x3(channels, stride, in_channels))
        self.body.add(nn.BatchNorm())
        self.body.add(nn.Activation("relu"))
        self.body.add(conv3x3(channels, 1, channels))
        self.body.add(nn.BatchNorm())
        if downsample:
            self.downsample = nn.HybridSequential(prefix="")
            self.downsample.add(nn.Conv2D(channels, kernel_size=1, strides=stride, use_bias=False,
                                          in_channels=in_channels))
            self.downsample.add(nn.BatchNorm())
        else:
            self.downsample = None

    def hybrid_forward(self, F, x):
        residual = x

        x = self.body(x)

        if self.downsample:
            residual = self.downsample(residual)

        return F.Activation(residual + x, act_type="relu")


class SmallResNet(HybridBlock):
    def __init__(self, layers=(1, 1), channels=(16, 32), classes=10, **kwargs):
        super(SmallResNet, self).__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(nn.Conv2D(channels[0], 3, 1, 1, use_bias=False))
            self.features.add(nn.BatchNorm())
            for i, num_layer in enumerate(layers):
                stride = 1 if i == 0 else 2
                self.features.add(self._make_layer(num_layer, channels[i], stride, i + 1))
            self.features.add(nn.GlobalAvgPool2D())
            self.output = nn.Dense(classes)

    def _make_layer(self, layers, channels, stride, stage_index):
        layer = nn.HybridSequential(prefix="stage%d_" % stage_index)
        with layer.name_scope():
            layer.add(BasicBlock(channels, stride, True, prefix=""))
            for _ in range(layers - 1):
                layer.add(BasicBlock(channels, 1, False, in_channels=channels, prefix=""))
        return layer

    def hybrid_forward(self, F, x):
        x = self.features(x)
        return self.output(x)
