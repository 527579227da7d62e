"""Nadam."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step
from hybridlint.runtime.optimizer.moments import Moments

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class Nadam(Moments):
    """Adam with Nesterov momentum; the momentum's weight grows with the number of updates."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0

    def _momentum(self, count: int) -> float:
        return float(self.beta1 * (1 - 0.5 * 0.96 ** (count * self.schedule_decay)))

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        values = self._prepared_(grad, step.wd * weight._data)
        now, following = self._momentum(step.count), self._momentum(step.count + 1)
        self.m_schedule *= now
        state[0]._write(self.beta1 * state[0]._data + (1 - self.beta1) * values)
        state[1]._write(self.beta2 * state[1]._data + (1 - self.beta2) * values * values)
        mean, square = (array._data for array in state)
        # Divided first, as MXNet rounds.
        gradient, moment = values / (1 - self.m_schedule), mean / (1 - self.m_schedule * following)
        ahead = (1 - now) * gradient + following * moment
        size = weight._platform.xp.sqrt(square / (1 - self.beta2**step.count)) + self.epsilon
        weight._write(weight._data - step.lr * ahead / size)
