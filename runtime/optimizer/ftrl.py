"""Follow The Regularized Leader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class Ftrl(Optimizer):
    """Follow The Regularized Leader; `lamda1` is the strength of the L1 regularization."""

    def __init__(self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray, ...]:
        """Return the leader's sum and the sum of squared gradients."""
        return zeros_like(weight, 2)

    def _lazy_(self, weight: NDArray, step: Step) -> bool:
        """Whether a gradient of few rows changes these only: as on MXNet, for weights of such storage."""
        return weight._is_sparse

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        own = {"lamda1": self.lamda1, "beta": self.beta}
        self._run_("ftrl_update", weight, grad, *state, **own, **self._usual_(step))
