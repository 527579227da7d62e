"""Adam."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step
from hybridlint.runtime.optimizer.moments import Moments

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class Adam(Moments):
    """Steps scaled by running means of the gradient and of its square."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        usual = self._usual_(step)
        usual["lr"] *= math.sqrt(1 - self.beta2**step.count) / (1 - self.beta1**step.count)
        betas = {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}
        self._run_("adam_update", weight, grad, *state, **betas, **usual)
