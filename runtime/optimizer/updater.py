"""Updater: an optimizer with the states of all weights, which can be saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer import states as files

if TYPE_CHECKING:
    from hybridlint.runtime.optimizer.base import Optimizer


class Updater:
    """Callable on index, gradient and weight. `states` holds the optimizer's state by index."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Update a weight, or a list of them."""
        if isinstance(index, (list, tuple)):
            for row in zip(index, grad, weight, strict=True):
                self(*row)
            return
        if index not in self.states:
            self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
        self.optimizer.update_multi_precision(index, weight, grad, self.states[index])

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states, and with `dump_optimizer` the optimizer, as bytes that MXNet reads as well."""
        return files.dumps(self.states, self.optimizer if dump_optimizer else None)

    def set_states(self, states: bytes) -> None:
        """Load the states from `get_states`, of this runtime or of MXNet. Raises MXNetError for anything else."""
        self._take(states, "states")

    def _take(self, content: bytes, origin: str) -> None:
        """Restore the states from the content of a file, whose name in errors is `origin`."""
        states, found = files.loads(content, origin)
        if found is not None:
            self.optimizer = files.restored(found, self.optimizer, origin)
        self.states = states


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an updater with an optimizer."""
    return Updater(optimizer)
