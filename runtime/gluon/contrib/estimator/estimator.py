"""``mx.gluon.contrib.estimator.estimator``: the training loop."""

from __future__ import annotations

import copy
import logging
import sys
import warnings
from collections.abc import Callable
from typing import Any

from hybridlint.runtime.context import Context, cpu
from hybridlint.runtime.gluon.contrib.estimator.batch_processor import BatchProcessor
from hybridlint.runtime.gluon.contrib.estimator.events import MOMENTS, EventHandler, checked
from hybridlint.runtime.gluon.contrib.estimator.handlers import (
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    StoppingHandler,
    ValidationHandler,
    checked_metrics,
    require_known_metrics,
)
from hybridlint.runtime.gluon.data.dataloader import DataLoader
from hybridlint.runtime.gluon.loss import Loss, SoftmaxCrossEntropyLoss
from hybridlint.runtime.gluon.trainer import Trainer
from hybridlint.runtime.metric import Accuracy, EvalMetric
from hybridlint.runtime.metric import Loss as LossMetric


class Estimator:
    """Trains and evaluates a network on batches of a DataLoader.

    `train_metrics` defaults to the loss, plus the accuracy for a classifier; `val_metrics` defaults to copies of them.
    Raises ValueError for arguments of a wrong type, and AssertionError for a GPU.
    """

    def __init__(
        self,
        net: Any,
        loss: Loss,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        context: Any = None,
        val_net: Any = None,
        val_loss: Loss | None = None,
        batch_processor: BatchProcessor | None = None,
    ) -> None:
        self.net = net
        self.loss = _checked_loss(loss)
        self._train_metrics = checked_metrics(train_metrics)
        self._val_metrics = checked_metrics(val_metrics)
        self._add_default_training_metrics()
        self._add_validation_metrics()
        self.val_loss = self.loss if val_loss is None else _checked_loss(val_loss)
        self.val_net = net if val_net is None else val_net
        self.logger = logging.Logger(name="Estimator", level=logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = _checked_contexts(context)
        self._initialize(initializer)
        self.trainer = self._checked_trainer(trainer)
        self.batch_processor = _checked_processor(batch_processor)
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis = 0

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """The training metrics."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """The validation metrics."""
        return self._val_metrics

    def _add_default_training_metrics(self) -> None:
        if not self._train_metrics:
            if isinstance(self.loss, SoftmaxCrossEntropyLoss):
                self._train_metrics.append(Accuracy())
            self._train_metrics.append(LossMetric(type(self.loss).__name__.lower()))
        for metric in self._train_metrics:
            metric.name = f"training {metric.name}"

    def _add_validation_metrics(self) -> None:
        if not self._val_metrics:
            self._val_metrics = [copy.deepcopy(metric) for metric in self._train_metrics]
        for metric in self._val_metrics:
            if "training" in metric.name:
                metric.name = metric.name.replace("training", "validation")
            else:
                metric.name = f"validation {metric.name}"

    def _initialize(self, initializer: Any) -> None:
        parameters = self.net.collect_params().values()
        initialized = all(p._data is not None or p._deferred_init for p in parameters)
        if not initialized:
            self.net.initialize(ctx=self.context, **({} if initializer is None else {"init": initializer}))
        elif initializer is not None:
            warnings.warn(
                "Network already fully initialized, skipping initialization. You don't need to pass initializer if you "
                "already initialized your net. You can use net.initialize(init=your_initializer, force_reinit=True)"
                "to force re-initialize.",
                stacklevel=3,
            )

    def _checked_trainer(self, trainer: Any) -> Trainer:
        if trainer is None:
            warnings.warn("No trainer specified, default SGD optimizer with learning rate 0.001 is used.", stacklevel=3)
            return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise ValueError(f"Trainer must be a Gluon Trainer instance, refer to gluon.Trainer:{trainer}")
        return trainer

    def evaluate(self, val_data: DataLoader, batch_axis: int = 0, event_handlers: Any = None) -> None:
        """Update the validation metrics on all batches, and log them."""
        _require_loader(val_data)
        call = self._caller(self._prepare_default_validation_handlers(event_handlers))
        call("epoch_begin")
        for batch in val_data:
            call("batch_begin", batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            call("batch_end", batch=batch, pred=pred, label=label, loss=loss)
        call("epoch_end")

    def fit(
        self,
        train_data: DataLoader,
        val_data: DataLoader | None = None,
        epochs: int | None = None,
        event_handlers: Any = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Train for a number of epochs or of batches. Raises ValueError unless exactly one of them is given."""
        _require_loader(train_data)
        if (not epochs) == (not batches):
            raise ValueError(
                "Fit only support exactly one type of iteration, train by number of epochs or number of batches."
                "Please specify one and only one of: epochs or batches."
            )
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        call = self._caller(self._prepare_default_handlers(val_data, event_handlers))
        call("train_begin")
        stopped = False
        while not stopped:
            call("epoch_begin")
            for batch in train_data:
                call("batch_begin", batch=batch)
                _, label, pred, loss = self.batch_processor.fit_batch(self, batch, batch_axis)
                stopped = call("batch_end", batch=batch, pred=pred, label=label, loss=loss)
                if stopped:
                    break
            stopped = call("epoch_end") or stopped
        call("train_end")

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[list[Any], list[Any]]:
        """Return data and labels of a batch, each split over contexts."""
        return self.batch_processor._get_data_and_label(batch, ctx, batch_axis)

    def _prepare_default_handlers(self, val_data: DataLoader | None, event_handlers: Any) -> list[EventHandler]:
        """Return the training handlers in call order: the given ones and the defaults."""
        handlers = checked(event_handlers)
        added: list[EventHandler] = [StoppingHandler(self.max_epoch, self.max_batch)]
        if not _has(handlers, GradientUpdateHandler):
            added.append(GradientUpdateHandler())
        if not _has(handlers, MetricHandler):
            added.append(MetricHandler(metrics=self.train_metrics))
        if val_data is not None and not _has(handlers, ValidationHandler):
            added.append(ValidationHandler(val_data=val_data, eval_fn=self.evaluate))
        if not _has(handlers, LoggingHandler):
            added.append(LoggingHandler(metrics=self.train_metrics))
        require_known_metrics(handlers, [*self.train_metrics, *self.val_metrics])
        return _ordered([*handlers, *added])

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[EventHandler]:
        """Return the evaluation handlers in call order."""
        handlers = checked(event_handlers)
        added: list[EventHandler] = []
        if not _has(handlers, MetricHandler):
            added.append(MetricHandler(metrics=self.val_metrics))
        if not _has(handlers, LoggingHandler):
            added.append(LoggingHandler(metrics=self.val_metrics))
        if added:
            require_known_metrics(handlers, self.val_metrics)
        return _ordered([*handlers, *added])

    def _categorize_handlers(self, event_handlers: list[EventHandler]) -> tuple[list[EventHandler], ...]:
        """Return the handlers of each event: training, epoch and batch begin; batch, epoch and training end."""
        return tuple([h for h in event_handlers if hasattr(h, moment)] for moment in MOMENTS)

    def _caller(self, handlers: list[EventHandler]) -> Callable[..., bool]:
        """Return a function that calls the handlers of an event and returns whether any of them wants to stop."""
        at = dict(zip(MOMENTS, self._categorize_handlers(handlers), strict=True))

        def call(moment: str, **kwargs: Any) -> bool:
            answers = [getattr(handler, moment)(self, **kwargs) for handler in at[moment]]
            return any(answer for answer in answers if answer is not None)

        return call


def _has(handlers: list[EventHandler], kind: type) -> bool:
    return any(isinstance(handler, kind) for handler in handlers)


def _ordered(handlers: list[EventHandler]) -> list[EventHandler]:
    return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))


def _require_loader(data: Any) -> None:
    if not isinstance(data, DataLoader):
        raise ValueError(
            "Estimator only support input as Gluon DataLoader. Alternatively, you can transform your DataIter or any "
            "NDArray into Gluon DataLoader. Refer to gluon.data.dataloader"
        )


def _checked_loss(loss: Any) -> Loss:
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be a Loss, refer to gluon.loss.Loss:{loss}")
    return loss


def _checked_contexts(context: Any) -> list[Context]:
    contexts = [cpu()] if not context else list(context) if isinstance(context, (list, tuple)) else [context]
    if not all(isinstance(each, Context) for each in contexts):
        raise ValueError(
            "context must be a Context or a list of Context, for example mx.cpu() or [mx.gpu(0), mx.gpu(1)], refer to "
            f"mxnet.Context:{context}"
        )
    for each in contexts:
        if each.device_type == "gpu":
            raise AssertionError(f"{each} is not available, please make sure your context is in one of: mx.cpu()")
    return contexts


def _checked_processor(given: Any) -> BatchProcessor:
    processor: BatchProcessor = given or BatchProcessor()
    if not (hasattr(processor, "fit_batch") and hasattr(processor, "evaluate_batch")):
        raise ValueError("Customized Batch Processor must contain fit_batch() and evaluate_batch() methods")
    return processor
