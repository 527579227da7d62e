from mxnet.gluon import nn
from mxnet.gluon.contrib.nn import HybridConcurrent


def conv_bn(channels, kernel, padding=0):
    out = nn.HybridSequential()
    out.add(nn.Conv2D(channels, kernel_size=kernel, padding=padding, use_bias=False))
    out.add(nn.BatchNorm(epsilon=0.001, momentum=0.95))
    out.add(nn.Activation("relu"))
    return out


class Inception(nn.HybridBlock):
    def __init__(self, width=8, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.branches = HybridConcurrent(axis=1)
            self.branches.add(conv_bn(width, 1))
            self.branches.add(conv_bn(width, 3, 1))
            pool = nn.HybridSequential()
            pool.add(nn.AvgPool2D(pool_size=3, strides=1, padding=1))
            pool.add(conv_bn(width, 1))
            self.branches.add(pool)
            self.norm = nn.InstanceNorm()

    def hybrid_forward(self, F, x):
        return self.norm(self.branches(x))
