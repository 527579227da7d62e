"""Correlations of labels and predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.metric.base import TrackedMetric, alias, check_label_shapes, pairs


@alias("pearsonr")
class PearsonCorrelation(TrackedMetric):
    """The correlation of labels and predictions: averaged over batches (``macro``), or of all values (``micro``)."""

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        self.average = average
        super().__init__(name, output_names, label_names)

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        if self.average == "micro":
            self.reset_micro()

    def reset_micro(self) -> None:
        """Forget the values of all batches."""
        self._count = 0
        self._sums = np.zeros(2)
        self._products = np.zeros((2, 2))

    def update(self, labels: Any, preds: Any) -> None:
        """Add the labels and predictions of a batch. Raises ValueError if their shapes differ."""
        for label, pred in pairs(labels, preds):
            check_label_shapes(label, pred, shape=True)
            if self.average == "macro":
                self._add_(float(np.corrcoef(pred.ravel(), label.ravel())[0, 1]), 1)
                continue
            both = np.stack([pred.ravel(), label.ravel()]).astype(np.float64)
            self._sums += both.sum(axis=1)
            self._products += both @ both.T
            self._count += label.size
            self._add_(0.0, label.size)

    def get(self) -> tuple[Any, Any]:
        """Return name and value; nan before the first batch. Of all values it is since the last full reset."""
        if self.average == "macro" or not self.num_inst:
            return super().get()
        covariance = self._products - np.outer(self._sums, self._sums) / self._count
        with np.errstate(invalid="ignore"):
            return self.name, float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


@alias("pcc")
class PCC(TrackedMetric):
    """The correlation of classes and predicted classes, of any number of them; of two it is MCC's."""

    def __init__(
        self,
        name: str = "pcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        has_global_stats: bool = True,
    ) -> None:
        super().__init__(name, output_names, label_names)
        self._has_global_stats = has_global_stats

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._all = np.zeros((2, 2))
        self._recent = np.zeros((2, 2))

    def reset_local(self) -> None:
        """Reset everything except the global counts."""
        super().reset_local()
        self._recent = np.zeros((2, 2))

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch.

        Predictions are classes, or scores of classes in rows.
        """
        for label, pred in pairs(labels, preds):
            chosen = pred.argmax(axis=1) if pred.shape != label.shape else pred.round()
            rows, columns = chosen.astype(np.int64).ravel(), label.astype(np.int64).ravel()
            size = max(int(rows.max(initial=0)), int(columns.max(initial=0))) + 1
            counts = np.zeros((size, size))
            np.add.at(counts, (rows, columns), 1)
            self._recent, self._all = _added(self._recent, counts), _added(self._all, counts)
            self._add_(1, 1)

    def get(self) -> tuple[Any, Any]:
        """Return name and value; nan before the first batch and if there is only one class."""
        return self.name, _correlation(self._recent)

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since the last full reset."""
        return self.name, _correlation(self._all)


def _added(left: Any, right: Any) -> Any:
    total = np.zeros((max(len(left), len(right)),) * 2)
    total[: len(left), : len(left)] += left
    total[: len(right), : len(right)] += right
    return total


def _correlation(counts: Any) -> float:
    number, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    spread = (rows * (number - rows)).sum() * (columns * (number - columns)).sum()
    return float((counts.trace() * number - (rows * columns).sum()) / np.sqrt(spread)) if spread else float("nan")
