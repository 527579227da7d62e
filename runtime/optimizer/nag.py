"""Nesterov's accelerated gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class NAG(Optimizer):
    """Momentum that looks one step ahead."""

    _master_last_ = True

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Any, weight: NDArray) -> NDArray | None:
        """Return the velocity."""
        return zeros_like(weight, 1)[0] if self.momentum else None

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        if state is None:
            self._run_("sgd_update", weight, grad, **self._usual_(step))
            return
        before = weight._data.copy()
        self._run_("nag_mom_update", weight, grad, state, momentum=self.momentum, **self._usual_(step))
        # MXNet has already overwritten the weight when it adds the decay to the velocity.
        state._write(state._data + step.lr * step.wd * (before - weight._data))

    def _lazy_(self, weight: NDArray, step: Step) -> bool:
        return not self.momentum
