"""Operators that create arrays from a shape, or in the shape of another array."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.storage.structure import ZEROS
from hybridlint.runtime.util import is_np_shape


def declared_shape(shape: Ints | None) -> Shape | None:
    """Return the shape that a parameter `shape` declares, None if it is unknown.

    A size of 0 is unknown, and an empty shape is unknown as a whole. With numpy shapes, -1 is the unknown size, and an
    empty shape is the shape of a scalar.
    """
    if is_np_shape() and shape is not None:
        return tuple(Dim.fresh() if d < 0 else d for d in shape)
    return tuple(Dim.fresh() if isinstance(d, int) and d <= 0 else d for d in shape) if shape else None


def checked_shape(shape: Ints | None) -> Ints:
    """Return the shape that a parameter declares, for a kernel. Raises ValueError if any part of it is unknown."""
    unknown = -1 if is_np_shape() else 0
    if shape is None or (not shape and unknown == 0) or any(d <= unknown for d in shape):
        raise ValueError(f"shape {shape} is not known: {unknown} means a size that is to be inferred")
    return shape


def _infer_constant(*, shape: Ints | None, dtype: Dtype) -> TensorType:
    return TensorType(declared_shape(shape), dtype)


@op(
    name="_zeros",
    infer=_infer_constant,
    samples=[sample(shape=(2, 3)), sample(shape=(4,), dtype="int32")],
    facts=Facts(numpy_names=("zeros",)),
)
def zeros(xp: Any, /, *, shape: Ints = (), ctx: str = "", dtype: Dtype = "float32") -> Any:
    """Return an array of zeros."""
    return xp.zeros(checked_shape(shape), dtype=dtype)


@op(
    name="_ones",
    infer=_infer_constant,
    samples=[sample(shape=(2, 3)), sample(shape=(4,), dtype="int32")],
    facts=Facts(numpy_names=("ones",)),
)
def ones(xp: Any, /, *, shape: Ints = (), ctx: str = "", dtype: Dtype = "float32") -> Any:
    """Return an array of ones."""
    return xp.ones(checked_shape(shape), dtype=dtype)


@op(
    name="_full",
    infer=_infer_constant,
    samples=[sample(shape=(2, 3), value=1.5), sample(shape=(4,), value=2.5, dtype="int32")],
    facts=Facts(numpy_names=("full",)),
)
def full(xp: Any, /, *, shape: Ints | None = None, ctx: str = "", dtype: Dtype = "float32", value: float) -> Any:
    """Return an array filled with `value`, converted to the dtype."""
    return xp.full(checked_shape(shape), value, dtype="float64").astype(dtype)


def _range_size(start: float, stop: float, step: float, repeat: int) -> int:
    if step == 0:
        raise InferError("step", "is 0")
    size = math.ceil((stop - start) / step) * repeat
    if size <= 0:
        raise InferError("stop", f"the range from {start:g} to {stop:g} in steps of {step:g} is empty")
    return size


def _infer_arange(
    *, start: float, stop: float | None, step: float, repeat: int, infer_range: bool, dtype: Dtype
) -> TensorType:
    if infer_range and stop is None:
        return TensorType((Dim.fresh(),), dtype)
    first, last = (0.0, start) if stop is None else (start, stop)
    return TensorType((_range_size(first, last, step, repeat),), dtype)


@op(
    name="_arange",
    infer=_infer_arange,
    samples=[
        sample(start=5.0),
        sample(start=1.0, stop=5.0, step=1.5),
        sample(start=1.0, stop=5.0, step=2.0, repeat=2),
        sample(start=5.0, stop=1.0, step=-1.0, dtype="int32"),
        sample(start=0.5, stop=9.0, step=1.5, dtype="int32"),
    ],
    facts=Facts(numpy_names=("arange",), positions=True),
)
def arange(
    xp: Any,
    /,
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: str = "",
    dtype: Dtype = "float32",
) -> Any:
    """Return the numbers from `start` up to, but not including, `stop`, each repeated `repeat` times.

    Without `stop` they run from 0 to `start`. For dtypes other than float32 and float64, the first number and the step
    are truncated to integers after the number of elements was computed.
    """
    if infer_range and stop is None:
        raise ValueError("the size of a range with infer_range is not known")
    first, last = (0.0, start) if stop is None else (start, stop)
    count = _range_size(first, last, step, 1)
    if dtype not in {"float32", "float64"}:
        first, step = float(int(first)), float(int(step))
    return xp.repeat((xp.arange(count, dtype="float64") * step + first).astype(dtype), repeat)


@op(
    name="_linspace",
    infer=lambda *, num, dtype: TensorType((num,), dtype),
    samples=[
        sample(start=0.0, stop=1.0, num=5),
        sample(start=0.0, stop=1.0, num=5, endpoint=False),
        sample(start=2.0, stop=2.0, num=1),
    ],
    facts=Facts(numpy_names=("linspace",)),
)
def linspace(
    xp: Any,
    /,
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: str = "",
    dtype: Dtype = "float32",
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`; `stop` is included if `endpoint` is true."""
    return xp.linspace(start, stop, num, endpoint=endpoint).astype(dtype)


@op(
    name="_eye",
    infer=lambda *, N, M, dtype: TensorType((N, M or N), dtype),
    samples=[sample(N=3), sample(N=3, M=4, k=-1), sample(N=2, M=4, k=3, dtype="int32")],
    facts=Facts(numpy_names=("eye",)),
)
def eye(xp: Any, /, *, N: int, M: int = 0, k: int = 0, ctx: str = "", dtype: Dtype = "float32") -> Any:
    """Return a matrix of N rows and M columns (M = 0: N columns) with ones on the k-th diagonal."""
    return xp.eye(N, M or N, k, dtype=dtype)


@reversed_by(same)
def _infer_like(data: TensorType, /) -> TensorType:
    return data


_LIKE_SAMPLES = [sample((2, 3)), sample((4,), dtypes=("int32",))]


@op(
    infer=_infer_like,
    grad=zero_gradient,
    samples=_LIKE_SAMPLES,
    facts=Facts(numpy_names=("zeros_like",), positions=True),
    aliases=("_sparse_zeros_like",),
    storage=ZEROS,
    method="zeros_like",
)
def zeros_like(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Return zeros in the shape and dtype of an array."""
    return _filled_like(xp, data, 0, out)


@op(
    infer=_infer_like,
    grad=zero_gradient,
    samples=_LIKE_SAMPLES,
    facts=Facts(numpy_names=("ones_like",)),
    method="ones_like",
)
def ones_like(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Return ones in the shape and dtype of an array."""
    return _filled_like(xp, data, 1, out)


def _filled_like(xp: Any, data: Any, value: int, out: Any) -> Any:
    if out is None:
        return xp.full(data.shape, value, dtype=data.dtype)
    out.fill(value)
    return out


def _infer_arange_like(data: TensorType, /, *, axis: int | None) -> TensorType:
    if data.shape is None:
        return data if axis is None else data.with_shape((Dim.fresh(),))
    return data if axis is None else data.with_shape((data.shape[normal_axis(axis, len(data.shape))],))


@op(
    name="_contrib_arange_like",
    infer=_infer_arange_like,
    grad=zero_gradient,
    samples=[
        sample((2, 3)),
        sample((2, 3), axis=1),
        sample((2, 3), axis=-2, start=2.0, step=0.5),
        sample((2, 3), repeat=2),
        sample((3,), dtypes=("int32",), axis=0),
    ],
    facts=Facts(positions=True),
)
def arange_like(
    xp: Any,
    data: Any,
    /,
    *,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = "",
    axis: int | None = None,
) -> Any:
    """Return evenly spaced numbers in the shape of the array, or, with `axis`, one for each element along that axis.

    They begin at `start` and grow by `step`; each is repeated `repeat` times.
    """
    shape = data.shape if axis is None else (data.shape[axis],)
    count = math.prod(shape)
    steps = xp.arange(-(-count // repeat), dtype="float64")
    steps *= step
    steps += start
    result = steps.astype(data.dtype)
    return (result if repeat == 1 else xp.repeat(result, repeat)[:count]).reshape(shape)
