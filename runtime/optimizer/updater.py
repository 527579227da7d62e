"""Updater: an optimizer with the states of all weights, which can be saved."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import MXNetError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.runtime.ndarray.ndarray import NDArray
    from hybridlint.runtime.optimizer.base import Optimizer


class Updater:
    """Call it with index, gradient and weight; `states` is what the optimizer remembers, by index."""

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
        """Return the states, and with `dump_optimizer` the optimizer's own numbers, as bytes."""
        progress = _progress(self.optimizer) if dump_optimizer else None
        return pickle.dumps((_map(_as_numpy, self.states), progress))

    def set_states(self, states: bytes) -> None:
        """Take what `get_states` returned. Raises MXNetError for anything else, files of the real MXNet included."""
        found, progress = _load(states)
        self.states = _map(_as_array, found)
        vars(self.optimizer).update(progress or {})


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an updater with an optimizer."""
    return Updater(optimizer)


_PLAIN = (bool, int, float, str, type(None))


def _progress(optimizer: Optimizer) -> dict[str, Any]:
    return {n: value for n, value in vars(optimizer).items() if n == "_counts" or isinstance(value, _PLAIN)}


def _map(change: Callable[[Any], Any], state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _map(change, value) for key, value in state.items()}
    if isinstance(state, tuple):
        return tuple(_map(change, value) for value in state)
    return change(state)


def _as_numpy(state: NDArray | None) -> Any:
    return None if state is None else state.asnumpy()


def _as_array(raw: Any) -> NDArray | None:
    from hybridlint.runtime.ndarray.ndarray import NDArray

    return None if raw is None else NDArray(raw)


class _Reader(pickle.Unpickler):
    """Reads plain data and numpy arrays: a file of states shall not run code."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "numpy" and name in {"_reconstruct", "ndarray", "dtype", "_frombuffer"}:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


def _load(states: bytes) -> tuple[Any, Any]:
    try:
        found, progress = _Reader(io.BytesIO(states)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, ImportError) as error:
        raise MXNetError(f"no states that Updater.get_states of the bundled runtime wrote: {error}") from error
    return found, progress
