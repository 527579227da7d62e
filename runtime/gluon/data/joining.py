"""Batchify functions: how a loader combines elements into a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.gluon.data.dataset import as_rows
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.numpy.multiarray import ndarray as np_ndarray
from hybridlint.runtime.util import is_np_array


def default_batchify_fn(data: Any) -> Any:
    """Return elements stacked along a new first dimension; tuples are stacked part by part into a list.

    Arrays keep their dtype, numbers get numpy's. Raises KeyError for types without a numeric dtype, such as str.
    """
    if isinstance(data[0], NDArray):
        return nd.np.stack(list(data)) if isinstance(data[0], np_ndarray) else nd.stack(*data)
    if isinstance(data[0], tuple):
        return [default_batchify_fn(part) for part in zip(*data, strict=False)]
    stacked = np.asarray(data)
    if stacked.dtype.kind not in "biuf":
        raise KeyError(stacked.dtype.type)
    array = as_rows(stacked)
    return array.as_np_ndarray() if is_np_array() else array


#: Workers send batches as pickles, so that they need no other function.
default_mp_batchify_fn = default_batchify_fn


def as_in_context(data: Any, ctx: Any) -> Any:
    """Copy a batch to a context: arrays, also in nested lists; tuples become lists. Other objects stay as they are."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    return [as_in_context(part, ctx) for part in data] if isinstance(data, (list, tuple)) else data
