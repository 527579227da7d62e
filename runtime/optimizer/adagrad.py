"""AdaGrad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class AdaGrad(Optimizer):
    """Steps scaled by the sum of squared gradients."""

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> NDArray:
        """Return the sum of squared gradients."""
        return zeros_like(weight, 1)[0]

    def _lazy_(self, weight: NDArray, step: Step) -> bool:
        """Whether a gradient of few rows changes these only: always. Raises MXNetError for a decay, as on MXNet."""
        if step.wd:
            raise MXNetError("AdaGrad updates by row_sparse gradients without weight decay only")
        return True

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        values = self._prepared_(grad)
        state._write(state._data + values * values)
        scaled = values / weight._platform.xp.sqrt(state._data + self.float_stable_eps)
        weight._write(weight._data - step.lr * (scaled + step.wd * weight._data))
