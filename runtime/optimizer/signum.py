"""Signum: steps along signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class Signum(Optimizer):
    """Steps along the signs of the momentum, or of the gradient without one; `wd_lh` is a decay apart from it."""

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Any, weight: NDArray) -> NDArray | None:
        """Return the velocity."""
        return zeros_like(weight, 1)[0] if self.momentum else None

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        params = self._usual_(step)
        if state is None:
            self._run_("signsgd_update", weight, grad, **params)
        else:
            own = {"momentum": self.momentum, "wd_lh": self.wd_lh}
            self._run_("signum_update", weight, grad, state, **own, **params)
