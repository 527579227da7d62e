from mxnet.gluon import loss
from mxnet.gluon.loss import _apply_weighting


class FocalLoss(loss.Loss):
    """Focal loss for binary labels."""

    def __init__(self, alpha=0.25, gamma=2, weight=None, batch_axis=0, **kwargs):
        super(FocalLoss, self).__init__(weight, batch_axis, **kwargs)
        self._alpha = alpha
        self._gamma = gamma

    def hybrid_forward(self, F, pred, label, sample_weight=None):
        p = F.sigmoid(pred)
        pt = F.where(label > 0.5, p, 1 - p)
        at = F.where(label > 0.5, F.ones_like(p) * self._alpha, F.ones_like(p) * (1 - self._alpha))
        loss = -at * (1 - pt) ** self._gamma * F.log(pt + 1e-12)
        loss = _apply_weighting(F, loss, self._weight, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)


class DiceLoss(loss.Loss):
    def __init__(self, smooth=1.0, **kwargs):
        super().__init__(None, 0, **kwargs)
        self.smooth = smooth

    def hybrid_forward(self, F, pred, label):
        pred = F.sigmoid(pred)
        intersection = F.sum(pred * label, axis=(1, 2, 3))
        total = F.sum(pred, axis=(1, 2, 3)) + F.sum(label, axis=(1, 2, 3))
        return 1 - (2 * intersection + self.smooth) / (total + self.smooth)
