"""Metrics of classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.metric.base import TrackedMetric, alias, array_pairs, check_label_shapes, pairs, register


@alias("acc")
class Accuracy(TrackedMetric):
    """The share of right predictions: of the largest score along `axis`, or of classes."""

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis)
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch."""
        for label, pred in array_pairs(labels, preds):
            classes = pred if pred.shape == label.shape else nd.argmax(pred, axis=self.axis)
            found, wanted = (array.asnumpy().astype(np.int32).ravel() for array in (classes, label))
            check_label_shapes(wanted, found)
            self._add_(int((found == wanted).sum()), found.size)


@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(TrackedMetric):
    """The share of labels among the `top_k` largest scores. Raises AssertionError for less than 2."""

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if top_k <= 1:
            raise AssertionError("Please use Accuracy if top_k is no more than 1")
        super().__init__(f"{name}_{top_k}", output_names, label_names, top_k=top_k)
        self.top_k = top_k

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch."""
        for label, pred in pairs(labels, preds):
            check_label_shapes(label, pred)
            wanted = label.astype(np.int32).ravel()
            best = pred.astype(np.float32).reshape(len(pred), -1).argsort(axis=1, kind="stable")[:, -self.top_k :]
            self._add_(int((best == wanted[:, None]).sum()), len(wanted))


class _Binary(TrackedMetric):
    """A metric of true and false positives and negatives: averaged over batches (macro) or of all (micro)."""

    def __init__(
        self,
        name: str,
        average: str = "macro",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self.average = average
        super().__init__(name, output_names, label_names)

    def _score(self, counts: Any) -> float:
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._counts = np.zeros(4)
        self._global_counts = np.zeros(4)

    def reset_local(self) -> None:
        """Forget all but the global average."""
        super().reset_local()
        self._counts = np.zeros(4)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch. Raises ValueError for more than two classes."""
        for label, pred in pairs(labels, preds):
            found, wanted = pred.argmax(axis=1), label.astype(np.int32).ravel()
            check_label_shapes(wanted, found)
            if len(np.unique(wanted)) > 2:
                raise ValueError(f"{type(self).__name__} currently only supports binary classification.")
            right = np.array([[np.sum((found == f) & (wanted == w)) for w in (1, 0)] for f in (1, 0)]).ravel()
            self._counts = self._counts + right
            self._global_counts = self._global_counts + right
        if self.average == "macro":
            self._add_(self._score(self._counts), 1)
            self._counts = np.zeros(4)
        else:
            self.sum_metric = self._score(self._counts) * float(self._counts.sum())
            self.num_inst = int(self._counts.sum())
            self.global_sum_metric = self._score(self._global_counts) * float(self._global_counts.sum())
            self.global_num_inst = int(self._global_counts.sum())


@register
class F1(_Binary):
    """The harmonic mean of precision and recall of two classes."""

    def __init__(
        self,
        name: str = "f1",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, average, output_names, label_names)

    def _score(self, counts: Any) -> float:
        hits, false_alarms, misses, _ = counts
        return float(2 * hits / (2 * hits + false_alarms + misses)) if hits else 0.0


@register
class MCC(_Binary):
    """The correlation coefficient of Matthews, of two classes."""

    def __init__(
        self,
        name: str = "mcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, average, output_names, label_names)

    def _score(self, counts: Any) -> float:
        hits, false_alarms, misses, rejections = counts
        terms = (hits + false_alarms, hits + misses, rejections + false_alarms, rejections + misses)
        scale = math.prod(term for term in terms if term) if any(terms) else 1.0
        return float((hits * rejections - false_alarms * misses) / math.sqrt(scale))
