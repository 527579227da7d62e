"""Gradient descent that makes up for delayed gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class DCASGD(Optimizer):
    """Gradient descent with momentum and delay compensation; `lamda` weighs the weight's change since the gradient."""

    _others_: ClassVar[Mapping[str, Any]] = {**Optimizer._others_, "weight_previous": {}}

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lamda = lamda

    def create_state(self, index: Any, weight: NDArray) -> tuple[NDArray | None, NDArray]:
        """Return the velocity and the weight before."""
        return (zeros_like(weight, 1)[0] if self.momentum else None), weight.copy()

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        velocity, before = state
        values = self._prepared_(grad)
        drift = self.lamda * values * values * (weight._data - before._data)
        change = -step.lr * (values + step.wd * weight._data + drift)
        if velocity is not None:
            velocity._write(self.momentum * velocity._data + change)
            change = velocity._data
        before._write(weight._data)
        weight._write(weight._data + change)
