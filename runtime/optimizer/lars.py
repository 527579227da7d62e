"""Rates of layers by their norms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from hybridlint.runtime.optimizer.base import Optimizer, Step, norm
from hybridlint.runtime.optimizer.sgd import SGD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class LARS(SGD):
    """Gradient descent with a layer-wise rate, proportional to the norm of the weight over that of its gradient.

    Parameters with names ending in gamma, beta or bias are updated at the plain rate, where the optimizer has names.
    """

    _others_: ClassVar[Mapping[str, Any]] = {**SGD._others_, "skip": 0, "last_lr": None}

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum=momentum, lazy_update=lazy_update, **kwargs)
        self.eta = eta
        self.eps = eps
        self.momentum_correction = momentum_correction
        self.cur_lr: float | None = None

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Change a weight and its state in place, or lists of them."""
        if isinstance(index, (list, tuple)):
            super().update(index, weight, grad, state)
            return
        self._update_count(index)
        wd = self._get_wd(index)
        rate = self._get_lr(index) * self._trust(index, weight, grad, wd)
        step = Step(rate, wd, self._index_update_count[index])
        last, self.cur_lr = self.cur_lr, self.learning_rate
        if state is None:
            self._step_(weight, grad, state, step)
            return
        # Velocities are steps: those of the rate before are made as long as those of this one.
        scale = self.cur_lr / last if self.momentum_correction and last else 1.0
        self._run_("sgd_mom_update", weight, grad, state, momentum=self.momentum * scale, **self._usual_(step))

    def _trust(self, index: Any, weight: NDArray, grad: NDArray, wd: float) -> float:
        # A Trainer gives no names, so that none of its parameters is spared.
        if self.idx2name.get(index, str(index)).endswith(("gamma", "beta", "bias")):
            return 1.0
        size = norm(weight)
        slope = norm(grad) * self.rescale_grad
        if size == 0 or slope == 0:
            return 1.0
        return self.eta * size / (slope + wd * size + self.eps)
