"""The processing of one batch, which subclasses can override."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import autograd
from hybridlint.runtime.gluon.utils import split_and_load


class BatchProcessor:
    """Computes predictions and losses of a batch, on each context."""

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[list[Any], list[Any]]:
        data, label = batch[0], batch[1]
        return split_and_load(data, ctx, batch_axis), split_and_load(label, ctx, batch_axis)

    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> tuple[Any, Any, Any, Any]:
        """Return data, labels, predictions and losses of a batch, one on each context."""
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> tuple[Any, Any, Any, Any]:
        """Return data, labels, predictions and losses of a batch, one on each context, and compute gradients."""
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        for each in loss:
            each.backward()
        return data, label, pred, loss
