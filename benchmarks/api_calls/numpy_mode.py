"""Functions of numpy mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from api_calls.table import CASES

if TYPE_CHECKING:
    from api_calls.table import Call

_NUMPY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda np, x, y: x + y,
    "exp": lambda np, x, y: np.exp(x),
    "sum": lambda np, x, y: x.sum(axis=1),
    "mean": lambda np, x, y: np.mean(x),
    "std": lambda np, x, y: np.std(x, axis=0),
    "dot": lambda np, x, y: np.dot(x, y),
    "matmul": lambda np, x, y: np.matmul(x, y),
    "einsum": lambda np, x, y: np.einsum("ij,jk->ik", x, y),
    "concatenate": lambda np, x, y: np.concatenate([x, y], axis=1),
    "where": lambda np, x, y: np.where(x > 0, x, y),
    "argmax": lambda np, x, y: np.argmax(x, axis=1),
    "reshape": lambda np, x, y: x.reshape(-1),
    "slice": lambda np, x, y: x[1:3, 2:],
    "mask": lambda np, x, y: x[x > 0],
    "set": lambda np, x, y: x.__setitem__((slice(1, 3), slice(None)), 0),
    "unique": lambda np, x, y: np.unique(np.round(x)),
    "zeros": lambda np, x, y: np.zeros((4, 4)),
    "random": lambda np, x, y: np.random.normal(size=(4, 4)),
    "array": lambda np, x, y: np.array([[1, 2], [3, 4]]),
    "item": lambda np, x, y: x[0, 0].item(),
}
for _size in (4, 512):
    for _name, _function in _NUMPY.items():
        if _size > 4 and _name in ("zeros", "random", "array", "item", "slice", "reshape"):
            continue

        def _numpy(mx: Any, size: int = _size, function: Callable[[Any, Any, Any], Any] = _function) -> Call:
            draw = np.random.RandomState(0).normal(size=(size, size)).astype(np.float32)
            x, y = mx.np.array(draw), mx.np.array(draw + 1)
            return lambda: function(mx.np, x, y)

        CASES[f"np/{_name}-{_size}"] = _numpy
