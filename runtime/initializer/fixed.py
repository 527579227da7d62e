"""Initializers without chance: constants and patterns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.initializer.base import Initializer, alias, fill, register

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@alias("zeros")
@register
class Zero(Initializer):
    """Zeros."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0


@alias("ones")
@register
class One(Initializer):
    """Ones."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """A single value for all elements, or the values of an array."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        fill(arr, self.value.asnumpy() if hasattr(self.value, "asnumpy") else self.value)

    def dumps(self) -> str:
        """Return the initializer as JSON; an array becomes nested lists.

        Raises AttributeError for a list, which is no value here though arrays are filled with it, as on MXNet: a
        parameter that has one is initialized, and no symbol can be made of it.
        """
        value = self.value
        if not np.isscalar(value):
            value = (value if isinstance(value, np.ndarray) else value.asnumpy()).tolist()
        return json.dumps([type(self).__name__.lower(), {"value": value}])


@register
class Bilinear(Initializer):
    """The weight of a deconvolution that interpolates linearly."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        height, width = arr.shape[2:4]
        half = np.ceil(width / 2.0)
        centre = (2 * half - 1 - half % 2) / (2.0 * half)
        falls = [1 - np.abs(np.arange(size) / half - centre) for size in (height, width)]
        fill(arr, np.broadcast_to(np.outer(*falls), arr.shape))


@register
class LSTMBias(Initializer):
    """Zeros, except that the biases of the forget gate (the second quarter) are `forget_bias`."""

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _: str, arr: NDArray) -> None:
        quarter = arr.shape[0] // 4
        values = np.zeros(arr.shape)
        values[quarter : 2 * quarter] = self.forget_bias
        fill(arr, values)
