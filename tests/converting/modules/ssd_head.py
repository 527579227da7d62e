from mxnet.gluon import nn


class SSDHead(nn.HybridBlock):
    """Class and box predictions for one scale."""

    def __init__(self, num_anchors=4, num_classes=3, **kwargs):
        super().__init__(**kwargs)
        self.num_classes = num_classes
        with self.name_scope():
            self.class_predictor = nn.Conv2D(num_anchors * (num_classes + 1), kernel_size=3, padding=1)
            self.box_predictor = nn.Conv2D(num_anchors * 4, kernel_size=3, padding=1)

    def hybrid_forward(self, F, x):
        cls = self.class_predictor(x)
        box = self.box_predictor(x)
        cls = F.flatten(F.transpose(cls, axes=(0, 2, 3, 1)))
        box = F.flatten(F.transpose(box, axes=(0, 2, 3, 1)))
        cls = F.reshape(cls, shape=(0, -1, self.num_classes + 1))
        return cls, box


class DownSample(nn.HybridBlock):
    def __init__(self, num_filters=16, **kwargs):
        super().__init__(**kwargs)
        self.net = nn.HybridSequential()
        for _ in range(2):
            self.net.add(nn.Conv2D(num_filters, 3, strides=1, padding=1))
            self.net.add(nn.BatchNorm(in_channels=num_filters))
            self.net.add(nn.Activation("relu"))
        self.net.add(nn.MaxPool2D(2))

    def hybrid_forward(self, F, x):
        return self.net(x)
