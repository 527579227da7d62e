"""Losses on distances between examples."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.loss_base import Loss, weighted


class TripletLoss(Loss):
    """Squared distance to a positive example minus that to a negative one, plus `margin`; 0 if that is negative."""

    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        """Return (batch,)."""
        near = F.square(F.reshape_like(positive, pred) - pred)
        far = F.square(F.reshape_like(negative, pred) - pred)
        loss = F.relu(F.sum(near - far, axis=self._batch_axis, exclude=True) + self._margin)
        return weighted(F, loss, self._weight, None)


class CosineEmbeddingLoss(Loss):
    """1 - cos(a, b) for label 1; for label -1, the excess of the cosine over `margin`."""

    def __init__(self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch, 1)."""
        cosine = self._cosine_(F, F.reshape_like(input1, input2), input2)
        label = F.reshape(label, (-1, 1))
        alike = (1 - cosine) * (label == 1)
        unlike = F.broadcast_maximum(F.zeros((1, 1)), (label == -1) * (cosine - self._margin))
        return weighted(F, alike + unlike, self._weight, sample_weight)

    @staticmethod
    def _cosine_(F: Any, x: Any, y: Any) -> Any:
        along = F.reshape(F.sum(x * y, axis=-1), (-1, 1))
        lengths = F.reshape(F.norm(x, axis=-1), (-1, 1)) * F.reshape(F.norm(y, axis=-1), (-1, 1))
        return along / F.broadcast_maximum(lengths, F.full((1, 1), 1e-12))


class SDMLLoss(Loss):
    """Smoothed deep metric learning: each row of a batch should be closest to the same row of the other batch.

    It reads shapes, so it runs only eagerly, as in MXNet.
    """

    def __init__(
        self, smoothing_parameter: float = 0.3, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        """Return (batch,)."""
        count, width = x1.shape
        left = F.broadcast_to(F.expand_dims(x1, 1), (count, count, width))
        right = F.broadcast_to(F.expand_dims(x2, 0), (count, count, width))
        logs = F.log_softmax(-F.sum(F.square(left - right), axis=2), axis=1)
        same = F.eye(count)
        smoothed = same * (1 - self.smoothing_parameter) + (1 - same) * self.smoothing_parameter / (count - 1)
        return F.sum(smoothed * (F.log(smoothed + 1e-12) - logs), axis=self._batch_axis, exclude=True)
