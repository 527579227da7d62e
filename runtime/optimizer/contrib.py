"""``mx.optimizer.contrib``: AdaGrad with one rate a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class GroupAdaGrad(Optimizer):
    """Steps scaled, row by row, by the sum of mean squared gradients. Raises AssertionError for a weight decay."""

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> NDArray:
        """Return the history of each row."""
        if len(weight.shape) != 2:
            raise AssertionError(f"GroupAdaGrad updates matrices, got a weight of shape {weight.shape}")
        with weight._platform.computing():
            return weight._wrap(weight._platform.xp.zeros((weight.shape[0], 1), weight.dtype))._on(weight._ctx)

    def _lazy_(self, weight: NDArray, step: Step) -> bool:
        """Whether a gradient of few rows changes these only: always."""
        return True

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        if step.wd:
            raise AssertionError("Weight decay is not supported for GroupAdaGrad")
        values = self._prepared_(grad)
        state._write(state._data + (values * values).mean(axis=1, keepdims=True))
        weight._write(weight._data - step.lr * values / weight._platform.xp.sqrt(state._data + self.float_stable_eps))
