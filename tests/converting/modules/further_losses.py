from mxnet import gluon
from mxnet.gluon import nn

class Triplet(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.loss = gluon.loss.TripletLoss(margin=0.5)
    def hybrid_forward(self, F, a, b, c):
        return self.loss(a, b, c)

class Others(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.squared = gluon.loss.SquaredHingeLoss()
        self.logistic = gluon.loss.LogisticLoss()
        self.kl = gluon.loss.KLDivLoss()
        self.poisson = gluon.loss.PoissonNLLLoss()
        self.soft = gluon.loss.SoftmaxCELoss(sparse_label=False)
    def hybrid_forward(self, F, x, y):
        y = F.sigmoid(y)
        return self.squared(x, y), self.logistic(x, y), self.kl(x, y), self.poisson(x, y), self.soft(x, y)

# hybridlint: verify(pred=("N", 7, 5), label=("N", 3))
class Speech(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.fc = nn.Dense(6, flatten=False)
        self.loss = gluon.loss.CTCLoss()
    def hybrid_forward(self, F, pred, label):
        return self.loss(self.fc(pred), F.clip(F.floor(label * 2), -1, 4))

# hybridlint: verify(x=("N", 4, 5, 6), label=("N", 5, 6))
class Segmented(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.fc = nn.Conv2D(3, 1)
        self.norm = nn.BatchNorm(use_global_stats=True)
        self.loss = gluon.loss.SoftmaxCELoss(axis=1)
    def hybrid_forward(self, F, x, label):
        return self.loss(self.norm(self.fc(x)), F.clip(F.floor(F.abs(label)), 0, 2))
