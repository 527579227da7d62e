from mxnet.gluon import nn


def build_discriminator(nf=8):
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(nf, 4, 2, 1, use_bias=False))
        net.add(nn.LeakyReLU(0.2))
        net.add(nn.Conv2D(nf * 2, 4, 2, 1, use_bias=False))
        net.add(nn.BatchNorm())
        net.add(nn.LeakyReLU(0.2))
        net.add(nn.Conv2D(1, 4, 1, 0, use_bias=False))
    return net


class Generator(nn.HybridBlock):
    def __init__(self, nz=10, ngf=8, nc=3, **kwargs):
        super().__init__(**kwargs)
        self.nz = nz
        with self.name_scope():
            self.main = nn.HybridSequential()
            self.main.add(
                nn.Conv2DTranspose(ngf * 2, 4, 1, 0, use_bias=False, in_channels=nz),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2DTranspose(ngf, 4, 2, 1, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                # the image
                nn.Conv2DTranspose(nc, 4, 2, 1, use_bias=False),
                nn.Activation("tanh"),
            )

    def hybrid_forward(self, F, z):
        return self.main(F.reshape(z, (0, self.nz, 1, 1)))
