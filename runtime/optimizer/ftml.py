"""Follow The Moving Leader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class FTML(Optimizer):
    """Follow The Moving Leader."""

    def __init__(self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray, ...]:
        """Return the scale, the mean square and the leader's sum."""
        return zeros_like(weight, 3)

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        usual = self._usual_(step)
        usual["clip_grad"] = usual.pop("clip_gradient")
        own = {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon, "t": step.count}
        self._run_("ftml_update", weight, grad, *state, **own, **usual)
