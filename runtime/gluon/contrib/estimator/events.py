"""The six events of training on which handlers are called."""

from __future__ import annotations

from typing import Any

#: The handler methods, in the order of the events.
MOMENTS = ("train_begin", "epoch_begin", "batch_begin", "batch_end", "epoch_end", "train_end")


class EventHandler:
    """Base class of event handlers."""


class TrainBegin(EventHandler):
    """Handler called before training."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the beginning of training."""


class TrainEnd(EventHandler):
    """Handler called after training."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the end of training."""


class EpochBegin(EventHandler):
    """Handler called before each epoch."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the beginning of an epoch."""


class EpochEnd(EventHandler):
    """Handler called after each epoch; it returns whether to stop."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the end of an epoch."""
        return False


class BatchBegin(EventHandler):
    """Handler called before each batch."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the beginning of a batch."""


class BatchEnd(EventHandler):
    """Handler called after each batch; it returns whether to stop."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Handle the end of a batch."""
        return False


def checked(handlers: Any) -> list[EventHandler]:
    """Return a handler or handlers as a new list. Raises ValueError for other objects."""
    several = list(handlers) if isinstance(handlers, (list, tuple)) else [handlers] if handlers else []
    if not all(isinstance(handler, EventHandler) for handler in several):
        raise ValueError(f"handlers must be an EventHandler or a list of EventHandler, got: {handlers}")
    return several
