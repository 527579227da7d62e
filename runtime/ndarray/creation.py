"""Functions of ``mx.nd`` that make arrays. Most of them are in ``mx.sym`` too, `array` and `empty` are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import dtype_name, normalize
from hybridlint.runtime.core.storage_types import stored_array
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray.ndarray import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Return an array with the values of anything array-like: float32, unless it is an NDArray or `dtype` is given.

    Raises TypeError for what is not array-like.
    """
    if isinstance(source_array, NDArray) and source_array._is_sparse:
        return source_array.astype(dtype or source_array.dtype)._on(ctx or current_context())
    if is_of_scipy(source_array):
        return stored_array.classes["csr"].of_scipy(source_array, ctx or current_context(), dtype)  # type: ignore[no-any-return]
    if dtype is None:
        dtype = source_array.dtype if isinstance(source_array, NDArray) else np.float32
    name = dtype_name(dtype)
    try:
        raw = np.array(np.asarray(_plain(source_array)), dtype=name)
    except (TypeError, ValueError) as error:
        raise TypeError("source_array must be array like object") from error
    return NDArray(raw, ctx or current_context())


def is_of_scipy(value: Any) -> bool:
    """Whether a value is one of scipy's sparse matrices."""
    return type(value).__module__.startswith("scipy.sparse") and hasattr(value, "tocsr")


def _plain(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value.asnumpy()
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def empty(shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None) -> NDArray:
    """Return an array of unspecified values; zeros here, so that runs repeat.

    Unlike that of `zeros` its shape may hold no elements.
    """
    sizes = _sizes(shape)
    if stype in {None, "default"} and isinstance(sizes, (tuple, list)) and (0 in sizes or not sizes):
        return NDArray(np.zeros(sizes, dtype_name(dtype or np.float32)), ctx or current_context())
    return zeros(sizes, ctx, dtype, stype)


def zeros(
    shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None, **kwargs: Any
) -> NDArray:
    """Return an array of zeros, float32 unless `dtype` says otherwise."""
    if stype not in {None, "default"}:
        if stype not in stored_array.classes:
            raise ValueError(f"unknown storage type{stype}")
        return stored_array.classes[stype].zeros(shape, ctx or current_context(), dtype)  # type: ignore[no-any-return]
    return _create("_zeros", ctx, kwargs, shape=shape, dtype=dtype)


def ones(shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return an array of ones, float32 unless `dtype` says otherwise."""
    return _create("_ones", ctx, kwargs, shape=shape, dtype=dtype)


def full(
    shape: Any, val: Any, ctx: Context | None = None, dtype: Any = np.float32, out: NDArray | None = None
) -> NDArray:
    """Return an array filled with one value."""
    sizes = _sizes(shape)
    if out is None and isinstance(sizes, (tuple, list)) and 0 in sizes:
        return empty(sizes, ctx, dtype)
    return _create("_full", ctx, {"out": out}, shape=sizes, value=float(val), dtype=dtype)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """Return evenly spaced values, each `repeat` times."""
    return _create("_arange", ctx, {}, start=start, stop=stop, step=step, repeat=repeat, dtype=dtype)


def linspace(
    start: float, stop: float, num: int, endpoint: bool = True, ctx: Context | None = None, dtype: Any = np.float32
) -> NDArray:
    """Return `num` evenly spaced values."""
    return _create("_linspace", ctx, {}, start=start, stop=stop, num=num, endpoint=endpoint, dtype=dtype)


def eye(N: int, M: int = 0, k: int = 0, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return a matrix with ones on the k-th diagonal."""
    return _create("_eye", ctx, kwargs, N=N, M=M, k=k, dtype=dtype)


def _sizes(shape: Any) -> Any:
    """Return a shape for an array that is allocated, not computed: there numpy's arrays are shapes too.

    Raises TypeError for one without dimensions.
    """
    return tuple(shape) if isinstance(shape, np.ndarray) else shape


def _create(name: str, ctx: Context | None, extra: dict[str, Any], **params: Any) -> NDArray:
    op = registry.get(name)
    if ctx is not None and not isinstance(ctx, Context):
        raise MXNetError(f"Invalid context string {ctx}")
    out = extra.pop("out", None)
    extra.pop("name", None)
    given = {k: v for k, v in {**params, **extra}.items() if v is not None}
    result: NDArray = invoke(op, [], normalize(op, given), out, ctx=ctx)
    return result


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Join arrays along an axis."""
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    op = registry.get("Concat")
    return invoke(op, list(arrays), normalize(op, {"dim": axis}))  # type: ignore[no-any-return]


def moveaxis(tensor: NDArray, source: Any, destination: Any) -> NDArray:
    """Move axes to other places. Raises ValueError for an axis that is not there, or unlike numbers of axes."""
    op = registry.get("transpose")
    return invoke(op, [tensor], normalize(op, {"axes": _moved(tensor.ndim, source, destination)}))  # type: ignore[no-any-return]


def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    sources, targets = ([axes] if isinstance(axes, int) else list(axes) for axes in (source, destination))
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    for axis in (*sources, *targets):
        if not -rank <= axis < rank:
            raise ValueError(f"axis {axis} is out of bounds for an array of {rank} dimensions")
    sources, targets = [s % rank for s in sources], [d % rank for d in targets]
    if len(set(sources)) < len(sources) or len(set(targets)) < len(targets):
        raise ValueError("repeated axis")
    order = [axis for axis in range(rank) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return tuple(order)


def split_v2(ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
    """Split into equal parts or at indices. Raises ValueError if the parts are unequal, or the argument is invalid.

    Several parts are returned as a list.
    """
    if isinstance(indices_or_sections, int) and ary.shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    op = registry.get("_split_v2")
    given = {**split_params(indices_or_sections), "axis": axis, "squeeze_axis": squeeze_axis}
    return invoke(op, [ary], normalize(op, given))


def split_params(indices_or_sections: Any) -> dict[str, Any]:
    """Return the parameters of the operator that splits. Raises ValueError for anything but a number or a tuple."""
    if isinstance(indices_or_sections, int):
        return {"indices": (), "sections": indices_or_sections}
    if isinstance(indices_or_sections, tuple):
        return {"indices": (0, *indices_or_sections)}
    raise ValueError("indices_or_sections must either int or tuple of ints")


def histogram(a: NDArray, bins: Any = 10, range: Any = None) -> Any:
    """Count elements by bins: between given edges, or a number of bins in a range, by default the elements' range.

    With a number of bins and no range the result is a tuple, else a list. Raises ValueError for bins that are neither.
    """
    op = registry.get("_histogram")
    if isinstance(bins, NDArray):
        return invoke(op, [a, bins], normalize(op, {}))
    if not isinstance(bins, int):
        raise ValueError("bins argument should be either an integer or an NDArray")
    if range is None:
        # MXNet lets numpy count then, and returns its results as arrays of its own default dtype.
        values = a.asnumpy()
        counts, edges = np.histogram(values, _edges(values, bins))
        return array(counts, dtype="float32"), array(edges, dtype="float32")
    return invoke(op, [a, None], normalize(op, {"bin_cnt": bins, "range": range}))


def _edges(values: Any, bins: int) -> Any:
    """Return the edges of bins from the least to the greatest value. numpy 2 would compute them in float32."""
    counted = np.histogram_bin_edges(values.astype("float64"), bins)
    return counted.astype(values.dtype) if np.issubdtype(values.dtype, np.floating) else counted


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Write one-hot rows of `indices` into `out`."""
    out._write(np.eye(out.shape[1], dtype=out._data.dtype)[indices.asnumpy().astype(int)])
    return out
