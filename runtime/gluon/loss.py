"""``mx.gluon.loss``: losses, with one value per example of the batch unless stated otherwise.

`weight` scales the loss; `sample_weight` (broadcast over the predictions) scales its elements. `batch_axis` is the axis
of examples; the loss is averaged over all other axes. Labels are reshaped like the predictions.
"""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.loss_base import Loss, weighted
from hybridlint.runtime.gluon.metric_losses import CosineEmbeddingLoss, SDMLLoss, TripletLoss

__all__ = [
    "CTCLoss",
    "CosineEmbeddingLoss",
    "HingeLoss",
    "HuberLoss",
    "HybridBlock",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "PoissonNLLLoss",
    "SDMLLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
]

_TINY = 1e-12

#: Projects with their own losses import MXNet's helper by this private name.
_apply_weighting = weighted


def _reshape_like(F: Any, x: Any, y: Any) -> Any:
    return operators(F).reshape_like(x, y)


class L2Loss(Loss):
    """Half the mean squared difference."""

    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        F = operators(F)
        loss = F.square(F.reshape_like(label, pred) - pred)
        half = None if self._weight is None else self._weight / 2
        return self._mean_(F, weighted(F, loss, half, sample_weight))


class L1Loss(Loss):
    """The mean absolute difference."""

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        F = operators(F)
        loss = F.abs(F.reshape_like(label, pred) - pred)
        return self._mean_(F, weighted(F, loss, self._weight, sample_weight))


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Cross-entropy of labels in [0, 1] and predictions: logits, or with `from_sigmoid` probabilities."""

    def __init__(
        self, from_sigmoid: bool = False, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None) -> Any:
        """Return (batch,); `pos_weight` scales the loss of positive labels."""
        F = operators(F)
        label = F.reshape_like(label, pred)
        compute = self._of_probabilities_ if self._from_sigmoid else self._of_logits_
        return self._mean_(F, weighted(F, compute(F, pred, label, pos_weight), self._weight, sample_weight))

    @staticmethod
    def _of_logits_(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        if pos_weight is None:
            return F.relu(pred) - pred * label + F.Activation(-F.abs(pred), act_type="softrelu")
        scale = 1 + weighted(F, pos_weight - 1, None, label)
        return pred - pred * label + scale * (F.Activation(-F.abs(pred), act_type="softrelu") + F.relu(-pred))

    @staticmethod
    def _of_probabilities_(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        positive = F.log(pred + _TINY) * label
        if pos_weight is not None:
            positive = weighted(F, positive, None, pos_weight)
        return -(positive + F.log(1.0 - pred + _TINY) * (1.0 - label))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """Cross-entropy of labels and the softmax of the predictions along `axis`.

    With `sparse_label`, labels are class indices, otherwise distributions. With `from_logits`, predictions are already
    log-probabilities.
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        F = operators(F)
        if not self._from_logits:
            pred = F.log_softmax(pred, self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * F.reshape_like(label, pred), axis=self._axis, keepdims=True)
        return self._mean_(F, weighted(F, loss, self._weight, sample_weight))


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """Kullback-Leibler divergence of predictions (logarithms of probabilities, or with ``from_logits=False`` raw)."""

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,), summed over the other dimensions."""
        if not self._from_logits:
            pred = F.log_softmax(pred, self._axis)
        loss = label * (F.log(label + _TINY) - pred)
        return F.sum(weighted(F, loss, self._weight, sample_weight), axis=self._batch_axis, exclude=True)


class CTCLoss(Loss):
    """Connectionist temporal classification: predictions (batch, time, classes), labels (batch, length).

    The last class is the blank. Layouts say where the dimensions are.
    """

    def __init__(
        self, layout: str = "NTC", label_layout: str = "NT", weight: float | None = None, **kwargs: Any
    ) -> None:
        if layout not in {"NTC", "TNC"}:
            raise AssertionError(f"Only 'NTC' and 'TNC' layouts for pred are supported. Got: {layout}")
        if label_layout not in {"NT", "TN"}:
            raise AssertionError(f"Only 'NT' and 'TN' layouts for label are supported. Got: {label_layout}")
        super().__init__(weight, label_layout.index("N"), **kwargs)
        self._layout = layout
        self._label_layout = label_layout

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Return (batch,). `pred_lengths` and `label_lengths` give the valid lengths of predictions and labels."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, 0, 1)
        if self._batch_axis == 1:
            label = F.swapaxes(label, 0, 1)
        lengths = {"data_lengths": pred_lengths, "label_lengths": label_lengths}
        loss = F.CTCLoss(
            pred,
            label,
            **{name: value for name, value in lengths.items() if value is not None},
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return weighted(F, loss, self._weight, sample_weight)


class HuberLoss(Loss):
    """Huber loss: quadratic for differences up to `rho`, linear above."""

    def __init__(self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        gap = F.abs(F.reshape_like(label, pred) - pred)
        loss = F.where(gap > self._rho, gap - 0.5 * self._rho, (0.5 / self._rho) * F.square(gap))
        return self._mean_(F, weighted(F, loss, self._weight, sample_weight))


class HingeLoss(Loss):
    """Hinge loss ``max(0, margin - pred * label)``; labels are -1 and 1."""

    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        loss = F.relu(self._margin - pred * F.reshape_like(label, pred))
        return self._mean_(F, weighted(F, loss, self._weight, sample_weight))


class SquaredHingeLoss(Loss):
    """Squared hinge loss ``max(0, margin - pred * label)**2``; labels are -1 and 1."""

    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        loss = F.square(F.relu(self._margin - pred * F.reshape_like(label, pred)))
        return self._mean_(F, weighted(F, loss, self._weight, sample_weight))


class LogisticLoss(Loss):
    """Logistic loss of labels that are -1 and 1 (``signed``) or 0 and 1 (``binary``)."""

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, label_format: str = "signed", **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in {"signed", "binary"}:
            raise ValueError(f"label_format can only be signed or binary, received {label_format}.")
        self._label_format = label_format

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return (batch,)."""
        label = F.reshape_like(label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        loss = F.relu(pred) - pred * label + F.Activation(-F.abs(pred), act_type="softrelu")
        return self._mean_(F, weighted(F, loss, self._weight, sample_weight))


class PoissonNLLLoss(Loss):
    """Negative log likelihood of counts under Poisson distributions, given rates or (``from_logits``) their logarithms.

    `compute_full` adds Stirling's approximation of the term that does not depend on the predictions.
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-08) -> Any:
        """Return the mean loss over all elements, the batch included, of shape (1,)."""
        target = F.reshape_like(target, pred)
        loss = F.exp(pred) - target * pred if self._from_logits else pred - target * F.log(pred + epsilon)
        if self._compute_full:
            stirling = target * F.log(target) - target + 0.5 * F.log(2 * target * math.pi)
            # In place, as MXNet has it: it is nan for a target of 0, and no recorded or compiled run can do it.
            stirling *= target > 1
            loss = loss + stirling
        return F.mean(weighted(F, loss, self._weight, sample_weight))
