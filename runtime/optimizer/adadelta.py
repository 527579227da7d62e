"""AdaDelta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class AdaDelta(Optimizer):
    """Steps as large as earlier ones were for their gradients; there is no learning rate."""

    def __init__(self, rho: float = 0.9, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray, ...]:
        """Return running means of squared gradients and of squared steps."""
        return zeros_like(weight, 2)

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        values = self._prepared_(grad)
        gradients, steps = state
        gradients._write(self.rho * gradients._data + (1 - self.rho) * values * values)
        xp = weight._platform.xp
        change = xp.sqrt(steps._data + self.epsilon) / xp.sqrt(gradients._data + self.epsilon) * values
        steps._write(self.rho * steps._data + (1 - self.rho) * change * change)
        weight._write(weight._data - (change + step.wd * weight._data))
