"""``mx.callback``: callbacks for the end of batches and epochs."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Any

from hybridlint.runtime.metric.base import number_of
from hybridlint.runtime.model.checkpoints import save_checkpoint


def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """Return a callback that writes graph and parameters every `period` epochs."""
    every = max(1, int(period))

    def write(epoch: int, symbol: Any = None, arguments: Any = None, states: Any = None) -> None:
        if (epoch + 1) % every == 0:
            save_checkpoint(prefix, epoch + 1, symbol, arguments, states)

    return write


def module_checkpoint(
    mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """Return a callback that lets a module write itself every `period` epochs."""
    every = max(1, int(period))

    def write(epoch: int, *_: Any) -> None:
        if (epoch + 1) % every == 0:
            mod.save_checkpoint(prefix, epoch + 1, save_optimizer_states)

    return write


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[Any], None]:
    """Return a callback that logs the metric every `period` batches."""

    def log(param: Any) -> None:
        if param.nbatch % period or param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, number_of(value))
        if auto_reset:
            param.eval_metric.reset_local()

    return log


class Speedometer:
    """Logs samples per second, and the metric, every `frequent` batches."""

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.auto_reset = auto_reset
        #: Whether batches are timed, since `tic`; the last batch that ended was `last_count`.
        self.init = False
        self.tic: float = 0
        self.last_count = 0

    def __call__(self, param: Any) -> None:
        """Handle the end of a batch."""
        if self.last_count > param.nbatch:
            self.init = False
        self.last_count = param.nbatch
        if not self.init:
            self.init = True
            self.tic = time.time()
            return
        if param.nbatch % self.frequent:
            return
        speed = self.frequent * self.batch_size / max(time.time() - self.tic, 1e-9)
        if param.eval_metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, param.nbatch, speed)
        else:
            self._log_metric(param, speed)
        self.tic = time.time()

    def _log_metric(self, param: Any, speed: float) -> None:
        """Log the metric of the batches since the last line, or without `auto_reset` of all batches of the epoch."""
        measured = param.eval_metric.get_name_value()
        if self.auto_reset:
            param.eval_metric.reset_local()
        first = param.nbatch - self.frequent if self.auto_reset else 0
        shown = "".join(f"\t{name}={number_of(value):f}" for name, value in measured)
        batches = f"{first}-{param.nbatch}"
        logging.info("Epoch[%d] Batch [%s]\tSpeed: %.2f samples/sec%s", param.epoch, batches, speed, shown)


class ProgressBar:
    """Logs a progress bar of `length` characters for the `total` batches of an epoch."""

    def __init__(self, total: int, length: int = 80) -> None:
        self.bar_len = length
        self.total = total

    def __call__(self, param: Any) -> None:
        """Handle the end of a batch."""
        filled = round(self.bar_len * param.nbatch / self.total)
        percents = math.ceil(100.0 * param.nbatch / self.total)
        logging.info("[%s%s] %s%%\r", "=" * filled, "-" * (self.bar_len - filled), percents)


class LogValidationMetricsCallback:
    """Logs the metric at the end of an epoch."""

    def __call__(self, param: Any) -> None:
        """Handle the end of an epoch."""
        for name, value in param.eval_metric.get_name_value() if param.eval_metric else []:
            logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, number_of(value))
