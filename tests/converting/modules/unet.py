from mxnet.gluon import nn


class ConvBlock(nn.HybridBlock):
    def __init__(self, channels, **kwargs):
        super(ConvBlock, self).__init__(**kwargs)
        with self.name_scope():
            self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1)
            self.bn1 = nn.BatchNorm()
            self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1)
            self.bn2 = nn.BatchNorm()

    def hybrid_forward(self, F, x):
        x = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(x)))


class UpBlock(nn.HybridBlock):
    def __init__(self, channels, **kwargs):
        super(UpBlock, self).__init__(**kwargs)
        with self.name_scope():
            self.up = nn.Conv2DTranspose(channels, kernel_size=2, strides=2)
            self.conv = ConvBlock(channels)

    def hybrid_forward(self, F, x, skip):
        x = self.up(x)
        x = F.concat(x, skip, dim=1)
        return self.conv(x)


class UNet(nn.HybridBlock):
    """A small U-Net with two levels."""

    def __init__(self, base=8, classes=2, **kwargs):
        super(UNet, self).__init__(**kwargs)
        with self.name_scope():
            self.down1 = ConvBlock(base)
            self.pool = nn.MaxPool2D(2)
            self.down2 = ConvBlock(base * 2)
            self.bottom = ConvBlock(base * 4)
            self.up2 = UpBlock(base * 2)
            self.up1 = UpBlock(base)
            self.head = nn.Conv2D(classes, kernel_size=1)

    def hybrid_forward(self, F, x):
        c1 = self.down1(x)
        c2 = self.down2(self.pool(c1))
        y = self.bottom(self.pool(c2))
        y = self.up2(y, c2)
        y = self.up1(y, c1)
        return self.head(y)


# hybridlint: verify(x=("N", 3, 16, 16))
class Segmenter(UNet):
    pass
