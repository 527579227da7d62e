"""Stochastic gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from hybridlint.runtime.optimizer.base import Optimizer, Step, zeros_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class SGD(Optimizer):
    """Stochastic gradient descent, with optional momentum. `lazy_update` applies to sparse gradients only."""

    _master_last_ = True
    _others_: ClassVar[Mapping[str, Any]] = {**Optimizer._others_, "aggregate_num": 4}

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: NDArray) -> NDArray | None:
        """Return the velocity."""
        return zeros_like(weight, 1)[0] if self.momentum else None

    def _step_(self, weight: NDArray, grad: NDArray, state: Any, step: Step) -> None:
        if state is None:
            self._run_("sgd_update", weight, grad, **self._usual_(step))
        else:
            self._run_("sgd_mom_update", weight, grad, state, momentum=self.momentum, **self._usual_(step))
