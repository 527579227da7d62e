"""Gradient descent on large batches, with a rate that warms up."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hybridlint.runtime.optimizer.base import Optimizer, Step
from hybridlint.runtime.optimizer.sgd import SGD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridlint.runtime.ndarray.ndarray import NDArray


@Optimizer.register
class LBSGD(SGD):
    """Sums the gradients of `batch_scale` updates and makes one step with their mean.

    The rate grows up to `batch_scale` times over `warmup_epochs`, following `warmup_strategy`: linear, power2, sqrt;
    with lars it is proportional to the norm of the weight over that of its gradient.
    """

    _master_last_ = False
    _others_: ClassVar[Mapping[str, Any]] = {
        **Optimizer._others_,
        **{"lbmult": 1, "cumgrads": {}, "adaptive": False, "admult": 1},
    }

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: float = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum=momentum, multi_precision=multi_precision, **kwargs)
        logging.info("Running Large-Batch SGD Algorithm")
        logging.info(
            "(Batch_scale=%f, warmup_epochs=%d, warmup_strategy=%s, updates_per_epoch=%d)",
            *(batch_scale, warmup_epochs, warmup_strategy, updates_per_epoch),
        )
        self.warmup_strategy, self.warmup_epochs = warmup_strategy, warmup_epochs
        self.batch_scale, self.updates_per_epoch = batch_scale, updates_per_epoch
        self.init_updates = begin_epoch * updates_per_epoch
        self.num_epochs = num_epochs
        self._sums: dict[Any, tuple[int, Any]] = {}

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Accumulate a gradient; once there are enough, change the weight and its state in place."""
        if isinstance(index, (list, tuple)):
            super().update(index, weight, grad, state)
            return
        self._update_count(index)
        with weight._platform.computing():
            self._accumulate(index, weight, grad, state)

    def _accumulate(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        taken, total = self._sums.get(index, (0, 0.0))
        taken, total = taken + 1, total + grad._data
        self._sums[index] = (0, 0.0) if taken % self.batch_scale == 0 else (taken, total)
        if taken % self.batch_scale == 0:
            wd = self._get_wd(index)
            mean = grad._wrap(total / weight.dtype(self.batch_scale))
            rate = self._get_lr(index) * self._multiple(weight, mean, wd)
            self._step_(weight, mean, state, Step(rate, wd, self._index_update_count[index]))

    def _multiple(self, weight: NDArray, grad: NDArray, wd: float) -> float:
        if self.warmup_strategy == "lars":
            size, slope = float((weight._data**2).sum()), float((grad._data**2).sum())
            return float(np.clip((size / (slope + wd * size + 1e-18)) ** 0.5, 0.01, 100))
        done, all_ = self.num_update + self.init_updates, self.warmup_epochs * self.updates_per_epoch
        share = {"linear": 1.0, "power2": 2.0, "sqrt": 0.5}.get(self.warmup_strategy)
        if done >= all_:
            return float(self.batch_scale)
        return 1.0 if share is None or all_ <= 1 else 1.0 + (self.batch_scale - 1) * (done / all_) ** share
