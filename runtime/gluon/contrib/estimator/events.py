"""The six moments of training at which handlers are called."""

from __future__ import annotations

from typing import Any

#: The methods of handlers, in the order in which training comes to them.
MOMENTS = ("train_begin", "epoch_begin", "batch_begin", "batch_end", "epoch_end", "train_end")


class EventHandler:
    """The base of handlers."""


class TrainBegin(EventHandler):
    """Is called before all."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the beginning of training."""


class TrainEnd(EventHandler):
    """Is called after all."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the end of training."""


class EpochBegin(EventHandler):
    """Is called before each epoch."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the beginning of an epoch."""


class EpochEnd(EventHandler):
    """Is called after each epoch; what it returns says whether to stop."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the end of an epoch."""
        return False


class BatchBegin(EventHandler):
    """Is called before each batch."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the beginning of a batch."""


class BatchEnd(EventHandler):
    """Is called after each batch; what it returns says whether to stop."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the end of a batch."""
        return False


def checked(handlers: Any) -> list[EventHandler]:
    """Return a handler or handlers as a new list. Raises ValueError for what is none."""
    several = list(handlers) if isinstance(handlers, (list, tuple)) else [handlers] if handlers else []
    if not all(isinstance(handler, EventHandler) for handler in several):
        raise ValueError(f"handlers must be an EventHandler or a list of EventHandler, got: {handlers}")
    return several
