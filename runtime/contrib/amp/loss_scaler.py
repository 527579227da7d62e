"""The scale of losses: as large as gradients in half precision bear it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridlint.runtime import ndarray as nd


class LossScaler:
    """Doubles the scale after 2000 steps without an overflow, and halves it at one. A new scale is the next step's."""

    def __init__(self) -> None:
        self._loss_scale = self._next_loss_scale = 2.0**16
        self._max_loss_scale = 2.0**24
        self._scale_seq_len = 2000
        self._unskipped = 0

    @property
    def loss_scale(self) -> float:
        """The factor of losses."""
        return self._loss_scale

    def has_overflow(self, params: Iterable[Any]) -> bool:
        """Return whether a gradient of parameters is infinite or not a number, and set the next scale."""
        gradients = [param.list_grad()[0] for param in params if param.grad_req != "null"]
        overflow = any(not nd.all_finite(gradient).asscalar() for gradient in gradients)
        self._loss_scale = self._next_loss_scale
        if overflow:
            self._next_loss_scale = self._loss_scale / 2
            self._unskipped = 0
        else:
            self._unskipped += 1
        if self._unskipped == self._scale_seq_len:
            self._unskipped = 0
            self._next_loss_scale = min(self._max_loss_scale, self._loss_scale * 2)
        return overflow
