"""RMSProp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class RMSProp(Optimizer):
    """Steps scaled by the running mean of squared gradients; `centered` by their variance, with momentum `gamma2`."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray, ...]:
        """Return the mean square; where `centered` also the mean and the velocity."""
        return zeros_like(weight, 3 if self.centered else 1)

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        params = {**self._usual_(step), "gamma1": self.gamma1, "epsilon": self.epsilon}
        if self.clip_weights:
            params["clip_weights"] = self.clip_weights
        if self.centered:
            self._run_("rmspropalex_update", weight, grad, *state, gamma2=self.gamma2, **params)
        else:
            self._run_("rmsprop_update", weight, grad, *state, **params)
