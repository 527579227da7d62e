"""Handlers that monitor a metric: checkpoints of the best model, and early stopping."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridlint.runtime.gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from hybridlint.runtime.metric import CompositeEvalMetric, EvalMetric


def _better(metric: EvalMetric, mode: str, handler: str) -> Callable[[float, float], Any]:
    """Return a comparison "a is better than b": ``"min"``, ``"max"``, or ``"auto"`` by the metric's name."""
    if mode not in {"auto", "min", "max"}:
        warnings.warn(f"{handler} mode {mode} is unknown, fallback to auto mode.", RuntimeWarning, stacklevel=4)
        mode = "auto"
    name = metric.get()[0]
    if mode == "auto":
        larger = any(part in str(name).lower() for part in ("acc", "f1"))
        mode = "max" if larger else "min"
        warnings.warn(
            f"`{'greater' if larger else 'less'}` operator will be used to determine if {name} has improved. "
            "Specify `mode='min'` or `mode='max'` to disable this warning.",
            stacklevel=4,
        )
    return np.greater if mode == "max" else np.less


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Stops when a metric has not improved by `min_delta` for `patience` epochs, or does not beat `baseline`.

    Raises ValueError unless `monitor` is a single metric.
    """

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        if not isinstance(monitor, EvalMetric):
            raise ValueError(
                "Please provide one of the metric objects from estimator.train_metrics and estimator.val_metrics as "
                "monitor."
            )
        if isinstance(monitor, CompositeEvalMetric):
            raise ValueError(
                "CompositeEvalMetric is not supported for EarlyStoppingHandler: specify a simple metric instead."
            )
        self.monitor = monitor
        self.baseline = baseline
        self.patience = patience
        self.min_delta = min_delta
        self.monitor_op = _better(monitor, mode, "EarlyStopping")
        self._start()

    def _start(self) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        worst = -np.inf if self.monitor_op is np.greater else np.inf
        self.best: float = worst if self.baseline is None else self.baseline

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the state."""
        self._start()

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the metric has not improved for `patience` epochs."""
        name, value = self.monitor.get()
        if np.isnan(value):
            warnings.warn(
                f"{name} is not updated: pass one of the metrics of the estimator", RuntimeWarning, stacklevel=2
            )
        elif self.monitor_op(value - self._needed(), self.best):
            self.best = value
            self.wait = 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch = self.current_epoch
                self.stop_training = True
        self.current_epoch += 1
        return self.stop_training

    def _needed(self) -> float:
        return self.min_delta if self.monitor_op is np.greater else -self.min_delta

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log that training was stopped early."""
        if self.stop_training:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHanlder: early stopping due to %s not improving",
                self.stopped_epoch,
                self.monitor.get()[0],
            )


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Saves parameters and trainer states every `epoch_period` epochs and `batch_period` batches.

    Files are ``PREFIX-epochNbatchM.params`` and ``.states`` in `model_dir`; the last `max_checkpoints` of them are
    kept. With `save_best`, ``PREFIX-best`` is written too whenever `monitor` improves. `resume_from_checkpoint`
    continues after the last files and keeps them. Raises ValueError for `save_best` without a metric, and
    AssertionError if training by epochs resumes from files saved by batches, or the other way round.
    """

    def __init__(
        self,
        model_dir: str,
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        if save_best and not isinstance(monitor, EvalMetric):
            raise ValueError(
                "To save best model only, please provide one of the metric objects from estimator.train_metrics and "
                "estimator.val_metrics as monitor."
            )
        os.makedirs(model_dir, exist_ok=True)
        self.model_dir = model_dir
        self.model_prefix = model_prefix
        self.monitor = monitor
        self.verbose = verbose
        self.save_best = save_best
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.saved_checkpoints: list[str] = []
        self.current_batch = self.current_epoch = 0
        self.trained_epoch = self.trained_batch = -1
        self.best: float = 0.0
        if save_best and monitor is not None:
            self.monitor_op = _better(monitor, mode, "ModelCheckpoint")
            self.best = -np.inf if self.monitor_op is np.greater else np.inf

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Resume from the last files, if requested."""
        self.current_epoch = self.current_batch = 0
        if self.resume_from_checkpoint:
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Save if the period is complete. The graph is saved with the first batch, when it exists."""
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save_checkpoint(estimator)
        self.current_batch += 1

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Save if the period is complete."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save_checkpoint(estimator)
        self.current_epoch += 1

    def _save_checkpoint(self, estimator: Any) -> None:
        epoch, batch = self.current_epoch, self.current_batch
        if self.resume_from_checkpoint:
            epoch += self.trained_epoch + 1
            # When an epoch is saved, its last batch has already been counted; when a batch is saved, it has not.
            batch += max(self.trained_batch, 0) if self.epoch_period else self.trained_batch + 1
        prefix = f"{self.model_prefix}-epoch{epoch}batch{batch}"
        self._write(estimator, prefix)
        if prefix not in self.saved_checkpoints:
            self.saved_checkpoints.append(prefix)
        while len(self.saved_checkpoints) > self.max_checkpoints:
            self._remove(self.saved_checkpoints.pop(0))
        if self.save_best:
            self._save_best(estimator)

    def _save_symbol(self, estimator: Any) -> None:
        path = os.path.join(self.model_dir, f"{self.model_prefix}-symbol.json")
        trace = getattr(estimator.net, "_trace_", None)
        if trace is not None:
            trace.graph.save(path)
        else:
            estimator.logger.info(
                "Model architecture(symbol file) is not saved, please use HybridBlock to construct your model, and "
                "call net.hybridize() before passing to Estimator in order to save model architecture as %s.",
                path,
            )

    def _save_best(self, estimator: Any) -> None:
        if self.monitor is None:
            return
        value = self.monitor.get()[1]
        if np.isnan(value):
            warnings.warn("the monitored metric is not updated", RuntimeWarning, stacklevel=4)
        elif self.monitor_op(value, self.best):
            self.best = value
            self._write(estimator, f"{self.model_prefix}-best")

    def _write(self, estimator: Any, prefix: str) -> None:
        path = os.path.join(self.model_dir, prefix)
        estimator.net.save_parameters(f"{path}.params")
        estimator.trainer.save_states(f"{path}.states")
        if self.verbose > 0:
            estimator.logger.info("[Epoch %d] CheckpointHandler: saved %s", self.current_epoch, path)

    def _remove(self, prefix: str) -> None:
        for suffix in (".params", ".states"):
            path = os.path.join(self.model_dir, prefix + suffix)
            if os.path.exists(path):
                os.remove(path)

    def _resume(self, estimator: Any) -> None:
        if bool(self.epoch_period) != bool(estimator.max_epoch) or bool(self.batch_period) != bool(estimator.max_batch):
            raise AssertionError(
                "To use resume from checkpoint, you must only specify the same type of period you used for training: "
                "training by epochs is saved by epochs only, with batch_period=None, training by batches with "
                "epoch_period=None."
            )
        pattern = re.compile(re.escape(self.model_prefix) + r"-epoch(\d+)batch(\d+)\.params")
        found = filter(None, map(pattern.fullmatch, os.listdir(self.model_dir)))
        places = sorted((int(match[1]), int(match[2])) for match in found)
        if not places:
            estimator.logger.info("CheckpointHandler: No checkpoint found, training from scratch")
            return
        self.trained_epoch, self.trained_batch = places[-1]
        path = os.path.join(self.model_dir, f"{self.model_prefix}-epoch{self.trained_epoch}batch{self.trained_batch}")
        estimator.net.load_parameters(f"{path}.params", ctx=estimator.context)
        estimator.trainer.load_states(f"{path}.states")
        left = self._left(estimator)
        estimator.logger.info(
            "CheckpointHandler: Checkpoint resumed from epoch %d batch %d, continue to train for %s ",
            self.trained_epoch,
            self.trained_batch,
            left,
        )

    def _left(self, estimator: Any) -> str:
        """Subtract what was already trained from the estimator's limits. Raises ValueError if nothing remains."""
        if estimator.max_epoch:
            if self.trained_epoch >= estimator.max_epoch - 1:
                raise ValueError(f"Found checkpoint with maximum number of epoch {estimator.max_epoch} reached")
            estimator.max_epoch -= self.trained_epoch + 1
            return f"{estimator.max_epoch} epochs"
        if self.trained_batch >= estimator.max_batch - 1:
            raise ValueError(f"Found checkpoint with maximum number of batch {estimator.max_batch} reached")
        estimator.max_batch -= self.trained_batch + 1
        return f"{estimator.max_batch} batches"
