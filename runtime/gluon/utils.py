"""``mx.gluon.utils``: batches for several contexts, norms of gradients, and files from the network."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.gluon.downloads import check_sha1, download, replace_file
from hybridlint.runtime.gluon.downloads import repository as _get_repo_url
from hybridlint.runtime.gluon.downloads import repository_file as _get_repo_file_url
from hybridlint.runtime.gluon.hooks import HookHandle
from hybridlint.runtime.gluon.param_dict import brief as _brief_print_list
from hybridlint.runtime.gluon.plain_block import indent as _indent
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.util import is_np_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.context import Context

__all__ = [
    "HookHandle",
    "_brief_print_list",
    "_get_repo_file_url",
    "_get_repo_url",
    "_indent",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "shape_is_known",
    "split_and_load",
    "split_data",
]


def split_data(data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[NDArray]:
    """Return the array in `num_slice` parts along an axis. Raises ValueError if it cannot be split evenly."""
    size = data.shape[batch_axis]
    if even_split and size % num_slice:
        raise ValueError(
            f"data with shape {data.shape} cannot be evenly split into {num_slice} slices along axis {batch_axis}. "
            f"Use a batch size that's multiple of {num_slice} or set even_split=False to allow uneven partitioning."
        )
    small, larger = divmod(size, num_slice)
    bounds = [0, *itertools.accumulate(small + (part < larger) for part in range(num_slice))]
    parts = [slice(bounds[k], bounds[k + 1]) for k in range(num_slice)]
    if batch_axis == 0:
        return [data[part] for part in parts]
    before: tuple[slice, ...] = (slice(None),) * batch_axis
    return [data[(*before, part)] for part in parts]


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Return the parts of an array, one on each context."""
    from hybridlint.runtime.ndarray import array

    if not isinstance(data, NDArray):
        data = array(data, ctx=ctx_list[0])
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]


def clip_global_norm(arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True) -> Any:
    """Scale arrays in place so that their common 2-norm is at most `max_norm`; return the norm before.

    The norm is a float, or without `check_isfinite` an array.
    """
    if not arrays:
        raise AssertionError("there is no array to clip")
    norm = float(np.sqrt(sum(map(_squares, arrays))))
    if check_isfinite and not np.isfinite(norm):
        warnings.warn("nan or inf is detected. Clipping results will be undefined.", stacklevel=2)
    scale = max_norm / (norm + 1e-8)
    if scale < 1.0 or np.isnan(scale):
        for array in arrays:
            with array._platform.computing():
                array._write(array._data * scale)
    return norm if check_isfinite else NDArray(np.array([norm], np.float32))


def _squares(array: NDArray) -> float:
    """Return the sum of the squares of all elements."""
    with array._platform.computing():
        return float(array._platform.xp.square(array._data.astype(np.float64)).sum())


def shape_is_known(shape: Sequence[int] | None) -> bool:
    """Return whether rank and sizes are all known; an unknown size is -1 with numpy shapes and 0 otherwise.

    Raises AssertionError for smaller sizes.
    """
    if shape is None or (not shape and not is_np_shape()):
        return False
    unknown = -1 if is_np_shape() else 0
    less = next((size for size in shape if size < unknown), None)
    if less is not None:
        raise AssertionError(f"shape dimension size cannot be less than {unknown}, while received {less}")
    return unknown not in shape
