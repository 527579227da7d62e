"""The default handlers: stopping, metrics, validation, updates and logging."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from hybridlint.runtime.gluon.contrib.estimator.events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
)
from hybridlint.runtime.metric import EvalMetric, Loss


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Stops after a number of epochs or batches."""

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self.max_epoch = max_epoch
        self.max_batch = max_batch
        self.current_batch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counters, and read the limits from the estimator."""
        self.max_epoch = estimator.max_epoch
        self.max_batch = estimator.max_batch
        self.current_batch = 0
        self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the batch limit is reached."""
        self.current_batch += 1
        self.stop_training = self.stop_training or self.current_batch == self.max_batch
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the epoch limit is reached."""
        self.current_epoch += 1
        self.stop_training = self.stop_training or self.current_epoch == self.max_epoch
        return self.stop_training


class MetricHandler(EpochBegin, BatchEnd):
    """Resets metrics before each epoch and updates them after each batch."""

    def __init__(self, metrics: Any, priority: float = -1000) -> None:
        self.metrics: list[EvalMetric] = checked_metrics(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the metrics."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Update the metrics with predictions and labels, or with losses."""
        for metric in self.metrics:
            if isinstance(metric, Loss):
                metric.update(0, kwargs["loss"])
            else:
                metric.update(kwargs["label"], kwargs["pred"])


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Calls `eval_fn` with the validation data after every `epoch_period` epochs, or `batch_period` batches."""

    def __init__(
        self,
        val_data: Any,
        eval_fn: Callable[..., Any],
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: Any = None,
    ) -> None:
        self.val_data = val_data
        self.eval_fn = eval_fn
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.priority = priority
        self.event_handlers = event_handlers

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counters."""
        self.current_batch = 0
        self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Validate if a period of batches is complete."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._validate(estimator)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Validate if a period of epochs is complete."""
        self.current_epoch += 1
        if self.epoch_period and self.current_epoch % self.epoch_period == 0:
            self._validate(estimator)

    def _validate(self, estimator: Any) -> None:
        self.eval_fn(val_data=self.val_data, batch_axis=estimator.batch_axis, event_handlers=self.event_handlers)


class GradientUpdateHandler(BatchEnd):
    """Makes a trainer step after each batch, before all other handlers."""

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Update the parameters."""
        loss = kwargs["loss"]
        several = loss if isinstance(loss, list) else [loss]
        # A loss has a number for each sample, whichever axis the data has them along.
        estimator.trainer.step(sum(each.shape[0] for each in several))


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Logs metrics after each epoch, or after every `log_interval` batches. Raises ValueError for other intervals."""

    def __init__(self, log_interval: int | str = "epoch", metrics: Any = None, priority: float = float("inf")) -> None:
        if not isinstance(log_interval, int) and log_interval != "epoch":
            raise ValueError("log_interval must be either an integer or string 'epoch'")
        self.metrics: list[EvalMetric] = checked_metrics(metrics)
        self.batch_index = 0
        self.current_epoch = 0
        self.processed_samples = 0
        self.priority = priority
        self.log_interval = log_interval
        self.log_interval_time = 0.0
        self._epoch_began = self._train_began = self._batch_began = time.time()

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the optimizer and the planned length of training."""
        self._train_began = time.time()
        trainer = estimator.trainer
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f ",
            type(trainer.optimizer).__name__,
            trainer.learning_rate,
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)
        self.current_epoch = self.batch_index = self.processed_samples = 0
        self.log_interval_time = 0.0

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the training time and the metrics."""
        seconds = time.time() - self._train_began
        message = f"Train finished using total {int(seconds)}s with {self.current_epoch} epochs. "
        estimator.logger.info((message + self._measured()).rstrip(", "))

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Store the time at which the batch begins."""
        self._batch_began = time.time()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the metrics if the interval is complete."""
        if not isinstance(self.log_interval, int):
            return
        self.log_interval_time += time.time() - self._batch_began
        self.processed_samples += kwargs["batch"][0].shape[0]
        if self.batch_index % self.log_interval == 0:
            place = f"[Epoch {self.current_epoch}][Batch {self.batch_index}][Samples {self.processed_samples}] "
            message = f"{place}time/interval: {self.log_interval_time:.3f}s {self._measured()}"
            self.log_interval_time = 0.0
            estimator.logger.info(message.rstrip(", "))
        self.batch_index += 1

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the learning rate, or the beginning of a validation."""
        self._epoch_began = time.time()
        if any("training" in metric.name for metric in self.metrics):
            estimator.logger.info(
                "[Epoch %d] Begin, current learning rate: %.4f", self.current_epoch, estimator.trainer.learning_rate
            )
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the metrics."""
        seconds = time.time() - self._epoch_began
        message = f"[Epoch {self.current_epoch}] Finished in {seconds:.3f}s, {self._measured()}"
        estimator.logger.info(message.rstrip(", "))
        self.current_epoch += 1
        self.batch_index = 0

    def _measured(self) -> str:
        return "".join("{}: {:.4f}, ".format(*metric.get()) for metric in self.metrics)


def checked_metrics(metrics: Any) -> list[EvalMetric]:
    """Return a metric or metrics as a list. Raises ValueError for other objects."""
    several = list(metrics) if isinstance(metrics, (list, tuple)) else [metrics] if metrics is not None else []
    if not all(isinstance(metric, EvalMetric) for metric in several):
        raise ValueError(f"metrics must be a Metric or a list of Metric, refer to mxnet.metric.EvalMetric: {metrics}")
    return several


def require_known_metrics(handlers: list[EventHandler], known: list[EvalMetric]) -> None:
    """Raise ValueError if a handler holds, in an attribute with "metric" in its name, a metric not in `known`."""
    for handler in handlers:
        for name in filter(lambda name: "metric" in name, vars(handler)):
            held = getattr(handler, name)
            for metric in held if isinstance(held, list) else [held]:
                if not any(metric is each for each in known):
                    raise ValueError(
                        f"Event handler {type(handler).__name__} refers to a metric instance {metric} outside of the "
                        "known training and validation metrics. Please use the metrics from estimator.train_metrics "
                        "and estimator.val_metrics instead."
                    )
