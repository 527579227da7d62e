"""Adamax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.optimizer.base import Optimizer, Step
from hybridlint.runtime.optimizer.moments import Moments

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class Adamax(Moments):
    """Adam scaled by the largest gradient instead of the mean square."""

    def __init__(self, learning_rate: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, **kwargs: Any) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        values = self._prepared_(grad, step.wd * weight._data)
        mean, largest = state
        mean._write(self.beta1 * mean._data + (1 - self.beta1) * values)
        xp = weight._platform.xp
        largest._write(xp.maximum(self.beta2 * largest._data, xp.abs(values)))
        # Without an epsilon, as on MXNet: a weight whose gradients are all zero becomes nan.
        with np.errstate(invalid="ignore", divide="ignore"):
            weight._write(weight._data - step.lr / (1 - self.beta1**step.count) * mean._data / largest._data)
