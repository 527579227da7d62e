"""Steps of optimizers where weight or gradient is in sparse storage.

A lazy step is that of the dense arrays which the stored rows of the gradient, and the same rows of weight and states,
are. Every other one is that of dense copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.ops.storage.updates import part, with_part


def advance(optimizer: Any, weight: NDArray, grad: NDArray, state: Any, step: Any) -> None:
    """Change a weight and its state in place by a step of the optimizer."""
    rows = grad._stored.indices if grad.stype == "row_sparse" and optimizer._lazy_(weight, step) else None
    if rows is not None and not len(rows):
        return
    slope = NDArray(grad._data if rows is None else grad._stored.data)
    taken: list[tuple[NDArray, NDArray]] = []
    own = _copies(weight, rows, taken)
    states = _copies(state, rows, taken)
    optimizer._step_(own, slope, states, step)
    for original, changed in taken:
        if rows is None:
            original._write(changed._data)
        elif original._is_sparse:
            original._write(with_part(np, original._stored, rows, changed._data))
        else:
            original._write(changed._data, rows)


def _copies(value: Any, rows: Any, taken: list[tuple[NDArray, NDArray]]) -> Any:
    """Return dense copies of arrays, or of rows of them, and note which is whose."""
    if isinstance(value, (list, tuple)):
        return type(value)(_copies(one, rows, taken) for one in value)
    if not isinstance(value, NDArray):
        return value
    found = NDArray(
        value._host.copy() if rows is None else part(np, value._stored if value._is_sparse else value._host, rows)
    )
    taken.append((value, found))
    return found
