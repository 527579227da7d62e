"""Optimizers that exist for tests and for old programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like
from hybridlint.runtime.optimizer.sgd import SGD

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class Test(Optimizer):
    """Adds the gradient, rescaled; the state is the weight."""

    def create_state(self, index: Any, weight: NDArray) -> NDArray:
        """Return zeros."""
        return zeros_like(weight, 1)[0]

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        weight._write(weight._data + grad._data * self.rescale_grad)
        state._write(weight._data)


@Optimizer.register
class ccSGD(SGD):  # noqa: N801  MXNet's own name
    """SGD under the name of its first version in C++."""
