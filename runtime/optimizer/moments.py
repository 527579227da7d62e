"""The base class of Adam and its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


class Moments(Optimizer):
    """Two decay rates, and two running values of each weight."""

    def __init__(self, learning_rate: float, beta1: float, beta2: float, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray, ...]:
        """Return running values of the gradient and of its size."""
        return zeros_like(weight, 2)
