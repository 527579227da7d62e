"""Metrics of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.metric.base import TrackedMetric, pairs, register


class _Error(TrackedMetric):
    """An error, averaged over batches."""

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch."""
        for label, pred in pairs(labels, preds):
            left, right = (data.reshape(-1, 1) if data.ndim == 1 else data for data in (label, pred))
            self._add_(self._error(left, right), 1)

    def _error(self, label: Any, pred: Any) -> float:
        raise NotImplementedError


@register
class MAE(_Error):
    """The mean absolute error."""

    def __init__(
        self, name: str = "mae", output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _error(self, label: Any, pred: Any) -> float:
        return float(np.abs(label - pred).mean())


@register
class MSE(_Error):
    """The mean squared error."""

    def __init__(
        self, name: str = "mse", output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _error(self, label: Any, pred: Any) -> float:
        return float(((label - pred) ** 2).mean())


@register
class RMSE(_Error):
    """The root of the mean squared error."""

    def __init__(
        self, name: str = "rmse", output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _error(self, label: Any, pred: Any) -> float:
        return float(np.sqrt(((label - pred) ** 2).mean()))
