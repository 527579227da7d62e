"""The optimizer of `SVRGModule`: arrays of full gradients are assigned, weights are updated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.optimizer import Optimizer, create, register

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray

_FULL = "full"


@register
class _AssignmentOptimizer(Optimizer):
    """Writes what it is given: a kvstore sums full gradients with it."""

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return nothing: an assignment remembers nothing."""
        return None

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Set the array."""
        weight[:] = grad


@register
class _SVRGOptimizer(Optimizer):
    """An optimizer by name with its arguments, beside one that assigns arrays whose names contain ``full``."""

    def __init__(self, default_optimizer: Any, **kwargs: Any) -> None:
        super().__init__(param_idx2name=kwargs.get("param_idx2name"))
        if isinstance(default_optimizer, str):
            self.default_opt: Optimizer = create(default_optimizer, **kwargs)
        else:
            self.default_opt = default_optimizer
        self.aux_opt = create(_AssignmentOptimizer.__name__)

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the state of the optimizer that the array is for."""
        return self._of(index).create_state(index, weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update the array with the optimizer that it is for."""
        self._of(index).update(index, weight, grad, state)

    def _of(self, index: Any) -> Optimizer:
        return self.aux_opt if _FULL in self._check_index(index) else self.default_opt

    def _check_index(self, index: Any) -> str:
        """Return the name of an array known by its name or number. Raises KeyError for an unknown one."""
        return str(index if index in self.idx2name.values() else self.idx2name[index])
