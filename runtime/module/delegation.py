"""Modules whose batches another object runs: an executor group, or the module of a bucket."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.module.base_module import BaseModule


class DelegatingModule(BaseModule):
    """A module that delegates questions about its last batch to the object that ran it, `_running()`."""

    def _running(self) -> Any:
        """Return the object that runs batches. Raises AssertionError before the module is bound."""
        raise NotImplementedError(f"{type(self).__name__} does not say what runs its batches")

    def _require_parameters(self) -> None:
        if not (self.binded and self.params_initialized):
            raise AssertionError("the module must be bound and its parameters initialized first")

    def backward(self, out_grads: Any = None) -> None:
        """Compute gradients of the last batch. Raises AssertionError before the parameters are initialized."""
        self._require_parameters()
        self._running().backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last batch: joined, or for each output a list of the devices' own."""
        found: list[Any] = self._running().get_outputs(merge_multi_context)
        return found

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data."""
        found: list[Any] = self._running().get_input_grads(merge_multi_context)
        return found

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the states, for each a list of the devices' own."""
        found: list[Any] = self._running().get_states(merge_multi_context)
        return found

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states from arrays, or all to one number."""
        self._running().set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels and outputs."""
        self._running().update_metric(eval_metric, labels, pre_sliced)
