import mxnet as mx
from mxnet import nd
from mxnet.gluon import nn


class LeNet(nn.HybridBlock):
    def __init__(self, classes=10, prefix=None, params=None):
        super().__init__(prefix=prefix, params=params)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            # two convolutions, each halves the image
            self.features.add(nn.Conv2D(channels=20, kernel_size=5, activation="relu"))
            self.features.add(nn.MaxPool2D(pool_size=2, strides=2))
            self.features.add(nn.Conv2D(channels=50, kernel_size=5, activation="relu"))
            self.features.add(nn.MaxPool2D(pool_size=2, strides=2))
            self.features.add(nn.Flatten())
            self.features.add(nn.Dense(500, activation="relu"))
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F, x):
        return self.output(self.features(x))


if __name__ == "__main__":
    net = LeNet()
    net.initialize(mx.init.Xavier())
    print(net(nd.random.uniform(shape=(4, 1, 28, 28))))
