"""Stochastic gradient Langevin dynamics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class SGLD(Optimizer):
    """Half a step of gradient descent plus noise; the noise variance is the learning rate."""

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        noise = step.lr**0.5 * weight._platform.generator().standard_normal(weight.shape)
        weight._write(weight._data + (noise - step.lr / 2 * (self._prepared_(grad) + step.wd * weight._data)))
