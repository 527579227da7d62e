from mxnet.gluon import nn


class SEBlock(nn.HybridBlock):
    """Squeeze and excitation."""

    def __init__(self, channels=32, reduction=4, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.squeeze = nn.Dense(channels // reduction, activation="relu", use_bias=False)
            self.excite = nn.Dense(channels, activation="sigmoid", use_bias=False)

    def hybrid_forward(self, F, x):
        w = F.contrib.AdaptiveAvgPooling2D(x, output_size=1)
        w = self.squeeze(F.flatten(w))
        w = self.excite(w)
        return F.broadcast_mul(x, w.expand_dims(axis=2).expand_dims(axis=3))
