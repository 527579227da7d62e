"""``mx.contrib.tensorboard``: metrics for TensorBoard."""

from __future__ import annotations

import importlib
from typing import Any


class LogMetricsCallback:
    """Writes a metric at the end of each batch or epoch. Raises ImportError without the package mxboard."""

    def __init__(self, logging_dir: str, prefix: str | None = None) -> None:
        self.prefix = prefix
        self.step = 0
        try:
            board = importlib.import_module("mxboard")
        except ImportError:
            raise ImportError("LogMetricsCallback writes with the package mxboard: install it") from None
        self.summary_writer = board.SummaryWriter(logging_dir)

    def __call__(self, param: Any) -> None:
        """Write the values of the metric, at the end of a batch or epoch."""
        self.step += 1
        for name, value in param.eval_metric.get_name_value() if param.eval_metric is not None else []:
            label = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(label, value, global_step=self.step)
