"""Constants: parameters that are not trained."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hybridlint.runtime import initializer
from hybridlint.runtime.context import cpu
from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.ndarray.ndarray import NDArray


class Constant(Parameter):
    """A parameter with fixed values that is not trained."""

    def __init__(self, name: str, value: Any) -> None:
        if not isinstance(value, NDArray):
            value = arrays.new_array(np.asarray(value, dtype=np.float32), cpu())
        self.value = value
        super().__init__(
            name, grad_req="null", shape=value.shape, dtype=value.dtype, init=_ValueInit(value), differentiable=False
        )

    def __repr__(self) -> str:
        return f"Constant {self.name} (shape={self.shape}, dtype={self.dtype})"

    @property
    def grad_req(self) -> str:
        """Always ``null``; setting anything else warns."""
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req != "null":
            warnings.warn(
                f'Constant parameter "{self.name}" does not support grad_req other than "null", '
                f'and new value "{req}" is ignored.',
                stacklevel=2,
            )


class _ValueInit(initializer.Initializer):
    """Initializer that copies given values. Graphs store only its name; values are saved with the parameters."""

    def __init__(self, value: NDArray) -> None:
        super().__init__()
        self._value = value

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = self._value
