"""``mx.io.utils``: conversion of the data for iterators. Iterators of public projects call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.io.batches import named
from hybridlint.runtime.ndarray import NDArray, array


def _init_data(data: Any, allow_empty: bool, default_name: str) -> list[tuple[str, NDArray]]:
    """Return arrays by name, sorted. Raises AssertionError for no data unless `allow_empty`, TypeError for others."""
    if not allow_empty and (data is None or (isinstance(data, list) and not data)):
        raise AssertionError("no data, which `allow_empty` does not allow")
    return [(name, v if isinstance(v, NDArray) else array(v)) for name, v in named(data, default_name)]


def _has_instance(data: Sequence[tuple[str, Any]], dtype: Any) -> bool:
    """Whether some of the named arrays are of a class."""
    return any(isinstance(value, dtype) for _, value in data)


def _getdata_by_idx(data: Sequence[tuple[str, NDArray]], idx: Any) -> list[tuple[str, NDArray]]:
    """Return the named arrays with their rows in the order of `idx`."""
    return [(name, array(value.asnumpy()[np.asarray(idx)], dtype=value.dtype)) for name, value in data]
