"""Updates of a weight by a gradient that stores some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import DENSE, Fallback, RowSparse, Storage
from hybridlint.runtime.ops.storage.structure import rows_at


def part(xp: Any, value: Any, rows: Any) -> Any:
    """Return a copy of some rows of an array in any storage."""
    return rows_at(xp, value, rows).data if isinstance(value, RowSparse) else value[rows]


def with_part(xp: Any, value: Any, rows: Any, data: Any) -> Any:
    """Return an array with some rows replaced: a dense array in place, a sparse one as a new array."""
    if not isinstance(value, RowSparse):
        value[rows] = data
        return value
    every = xp.unique(xp.concatenate([value.indices, rows]))
    result = rows_at(xp, value, every)
    result.data[xp.searchsorted(every, rows)] = data
    return result


def _infer(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    weight, grad, *states = stypes
    if grad != "row_sparse" or "csr" in stypes:
        return Fallback(weight)
    if params.get("lazy_update", weight == "row_sparse"):
        return weight
    return DENSE if {weight, *states} == {"default"} else Fallback(weight)


def _infer_only(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    if stypes[1] != "row_sparse" or params.get("wd", 0):
        raise ValueError(f"this update is not implemented for storage types {', '.join(stypes)} and a decay")
    return stypes[0]


def _lazily(kernel: Callable[..., Any], xp: Any, weight: Any, grad: RowSparse, *states: Any, **params: Any) -> Any:
    """Change the rows that the gradient stores, and leave the others and their states as they are."""
    rows = grad.indices
    parts = [part(xp, state, rows) for state in states]
    result = kernel(xp, part(xp, weight, rows), grad.data, *parts, **params)
    for state, changed in zip(states, parts, strict=True):
        _put(xp, state, rows, changed)
    return with_part(xp, weight.copy() if hasattr(weight, "copy") else weight, rows, result)


def _put(xp: Any, state: Any, rows: Any, changed: Any) -> None:
    """Write rows of a state in place. Raises ValueError for a sparse state that does not store them."""
    if not isinstance(state, RowSparse):
        state[rows] = changed
        return
    places = xp.searchsorted(state.indices, rows)
    if len(state.indices) <= int(places.max(initial=-1)) or (state.indices[places] != rows).any():
        raise ValueError("a state in row_sparse storage must store all rows that the gradient has")
    state.data[places] = changed


LAZY = Storage(_infer, _lazily)
#: An update that MXNet has for gradients of few rows only.
LAZY_ONLY = Storage(_infer_only, _lazily, from_dense=True, only=True)
