"""Metrics of probabilities and of losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import _as_list
from hybridlint.runtime.metric.base import TrackedMetric, alias, pairs, register


@alias("ce")
class CrossEntropy(TrackedMetric):
    """The mean of ``-log`` of the probability that a row gives to its label; `eps` keeps the logarithm finite."""

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, eps=eps)
        self.eps = eps

    def update(self, labels: Any, preds: Any) -> None:
        """Add the labels and predictions of a batch. Raises AssertionError if their numbers differ."""
        for label, pred in pairs(labels, preds):
            classes = label.ravel().astype(np.int64)
            if len(classes) != len(pred):
                raise AssertionError(f"there are {len(classes)} labels and {len(pred)} rows of probabilities")
            probabilities = pred[np.arange(len(classes)), classes]
            self._add_(float(-np.log(probabilities + self.eps).sum()), len(classes))


@alias("nll_loss")
class NegativeLogLikelihood(CrossEntropy):
    """Negative log-likelihood: the metric `CrossEntropy` under its other name in MXNet."""

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
class Perplexity(TrackedMetric):
    """``exp`` of the mean of ``-log`` of the probabilities of labels, without the label `ignore_label`."""

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, ignore_label=ignore_label)
        self.ignore_label = ignore_label
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        """Add the labels and predictions of a batch. Raises AssertionError if a prediction has no label."""
        if len(labels) != len(preds):
            raise AssertionError(f"there are {len(labels)} labels and {len(preds)} predictions")
        loss, count = 0.0, 0
        for label, pred in zip(labels, preds, strict=True):
            if label.size != pred.size / pred.shape[-1]:
                raise AssertionError(f"shape mismatch: {label.shape} vs. {pred.shape}")
            classes = label.as_in_context(pred.context).reshape((label.size,))
            chosen = nd.pick(pred, classes.astype("int32"), axis=self.axis)
            if self.ignore_label is not None:
                ignored = (classes == self.ignore_label).astype(pred.dtype)
                count -= int(nd.sum(ignored).asscalar())
                chosen = chosen * (1 - ignored) + ignored
            loss -= float(nd.sum(nd.log(nd.maximum(1e-10, chosen))).asscalar())
            count += chosen.size
        self._add_(loss, count)

    def _value_(self, total: float, count: int) -> float:
        return math.exp(total / count)


@register
class Loss(TrackedMetric):
    """The mean of the outputs themselves, which are losses."""

    def __init__(
        self, name: str = "loss", output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def update(self, _: Any, preds: Any) -> None:
        """Update the metric with the losses of a batch."""
        for loss in _as_list(preds):
            self._add_(float(nd.sum(loss).asscalar()), loss.size)


@register
class Torch(Loss):
    """The mean of losses, under the name of a plugin of old."""

    def __init__(
        self, name: str = "torch", output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """The mean of losses, under the name of another plugin of old."""

    def __init__(
        self, name: str = "caffe", output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)
