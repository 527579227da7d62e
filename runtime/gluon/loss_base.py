"""The base of all losses."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.util import is_np_array


class Loss(HybridBlock):
    """Base class of losses: functions of predictions and labels to be minimized."""

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _mean_(self, F: Any, loss: Any) -> Any:
        """Return the mean over all dimensions but that of the batch."""
        if is_np_array():
            return F.np.mean(F.npx.batch_flatten(loss), axis=1)
        return F.mean(loss, axis=self._batch_axis, exclude=True)


def weighted(F: Any, loss: Any, weight: float | None, sample_weight: Any) -> Any:
    """Return the loss times `sample_weight` (broadcast) and times the number `weight`, each where given."""
    if sample_weight is not None:
        loss = loss * sample_weight if is_np_array() else F.broadcast_mul(loss, sample_weight)
    if weight is not None:
        if not isinstance(weight, (int, float)):
            raise AssertionError("weight must be a number")
        loss = loss * weight
    return loss
