"""Initializers that draw values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybridlint.runtime import random
from hybridlint.runtime.initializer.base import Initializer, fill, register

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray


@register
class Uniform(Initializer):
    """Values drawn evenly from (-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _uniform(arr, self.scale)


@register
class Normal(Initializer):
    """Values of a normal distribution with mean 0 and standard deviation `sigma`."""

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _normal(arr, self.sigma)


@register
class Orthogonal(Initializer):
    """A matrix (of the first dimension by all others) with orthogonal rows or columns, times `scale`."""

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, _: str, arr: NDArray) -> None:
        rows, columns = arr.shape[0], int(np.prod(arr.shape[1:]))
        rng = random.generator(arr.context)
        draw = (
            rng.uniform(-1.0, 1.0, (rows, columns)) if self.rand_type == "uniform" else rng.normal(size=(rows, columns))
        )
        left, _values, right = np.linalg.svd(draw, full_matrices=False)
        fill(arr, self.scale * (left if left.shape == draw.shape else right).reshape(arr.shape))


@register
class Xavier(Initializer):
    """Random values with a variance that depends on the numbers of inputs and outputs of a weight.

    The variance is ``magnitude / factor``: `factor_type` is ``in``, ``out`` or their ``avg``; `rnd_type` is ``uniform``
    or ``gaussian``. Raises ValueError for other values and for arrays with fewer than two dimensions.
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        if len(arr.shape) < 2:
            raise ValueError(f"Xavier initializer cannot be applied to vector {name}. It requires at least 2D.")
        kernel = float(np.prod(arr.shape[2:]))
        fan_out, fan_in = arr.shape[0] * kernel, arr.shape[1] * kernel
        factors = {"avg": (fan_in + fan_out) / 2, "in": fan_in, "out": fan_out}
        if self.factor_type not in factors:
            raise ValueError(f"Incorrect factor type {self.factor_type!r}")
        scale = float(np.sqrt(self.magnitude / factors[self.factor_type]))
        draw = {"uniform": _uniform, "gaussian": _normal}.get(self.rnd_type)
        if draw is None:
            raise ValueError(f"Unknown random type {self.rnd_type!r}")
        draw(arr, scale)


@register
class MSRAPrelu(Xavier):
    """Xavier's gaussian values, for layers followed by PReLU of the given slope."""

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


def _uniform(arr: NDArray, scale: float) -> None:
    fill(arr, random.generator(arr.context).uniform(-scale, scale, arr.shape))


def _normal(arr: NDArray, sigma: float) -> None:
    fill(arr, random.generator(arr.context).normal(0.0, sigma, arr.shape))
