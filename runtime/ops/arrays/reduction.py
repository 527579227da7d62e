"""Reductions over axes. A result without dimensions has shape (1,), because legacy MXNet has no arrays of rank 0."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.facts.deferred_shapes import waits, when_known
from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.storage import Storage
from hybridlint.runtime.facts.types import Axes, Dtype, InferError, Shape, TensorType
from hybridlint.runtime.ops.arrays.broadcasting import kept_shape, reduced_axes
from hybridlint.runtime.ops.storage import reductions

if TYPE_CHECKING:
    from collections.abc import Callable

_SAMPLES = [
    sample((2, 3, 2), low=0.5),
    sample((2, 3, 2), low=0.5, axis=1),
    sample((2, 3, 2), low=0.5, axis=(0, -1), keepdims=True),
    sample((2, 3, 2), low=0.5, axis=1, exclude=True),
    sample((3,), low=0.5, axis=0),
    sample((2, 3), low=1, dtypes=("int32",), axis=1),
]


@lru_cache(4096)
def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """Return the shape of the result of a reduction over the axes."""
    if keepdims:
        return kept_shape(shape, axes)
    return tuple(d for k, d in enumerate(shape) if k not in axes) or (1,)


def _infer(data: TensorType, /, *, axis: Axes, keepdims: bool, exclude: bool = False) -> TensorType:
    if data.shape is None:
        return data if keepdims or (axis not in {None, ()}) else data.with_shape((1,))
    return data.with_shape(reduced_shape(data.shape, reduced_axes(axis, exclude, len(data.shape)), keepdims))


def _reduction(
    name: str,
    doc: str,
    function: Callable[..., Any],
    grad: Callable[..., Any],
    *,
    numpy_names: tuple[str, ...],
    aliases: tuple[str, ...] = (),
    method: str | None = None,
    storage: Storage | None = None,
) -> None:
    """Register a reduction: `function` is ``(xp, data, axes, keepdims)``, `grad` ``(F, g, x, y, spread)``."""

    def kernel(xp: Any, data: Any, /, *, axis: Axes = None, keepdims: bool = False, exclude: bool = False) -> Any:
        axes = reduced_axes(axis, exclude, data.ndim)
        result = function(xp, data, axes, keepdims)
        return result.astype(data.dtype, copy=False).reshape(reduced_shape(data.shape, axes, keepdims))

    def gradient(
        F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: Axes, exclude: bool
    ) -> tuple[Any, ...]:
        def spread(value: Any, scaled: bool = False) -> Any:
            return F._hl_spread(value, ins[0], axis=axis, exclude=exclude, scaled=scaled)

        return (grad(F, g, ins[0], outs[0], spread),)

    kernel.__name__ = name
    kernel.__doc__ = doc
    facts = Facts(numpy_names=numpy_names, distinct=not name.startswith("nan"))
    op(
        infer=_infer,
        grad=gradient,
        samples=_SAMPLES,
        facts=facts,
        aliases=aliases,
        method=method,
        storage=storage,
    )(kernel)


def _sum(xp: Any, data: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return xp.sum(data, axis=axes, dtype=data.dtype, keepdims=keepdims)


def _mean(xp: Any, data: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    total = _sum(xp, data, axes, keepdims)
    return xp.true_divide(total, max(data.size // max(total.size, 1), 1))


def _among_equals(F: Any, g: Any, x: Any, y: Any, spread: Callable[..., Any]) -> Any:
    return spread(g) * F._equal(x, spread(y))


_reduction(
    "sum",
    "Sum of the elements.",
    _sum,
    lambda F, g, x, y, spread: spread(g),
    numpy_names=("sum",),
    aliases=("sum_axis", "_sparse_sum"),
    method="sum",
    storage=reductions.SUM,
)
_reduction(
    "mean",
    "Mean of the elements.",
    _mean,
    lambda F, g, x, y, spread: spread(g, scaled=True),
    numpy_names=("mean",),
    aliases=("_sparse_mean",),
    method="mean",
    storage=reductions.MEAN,
)
_reduction(
    "prod",
    "Product of the elements.",
    lambda xp, data, axes, keepdims: xp.prod(data, axis=axes, dtype=data.dtype, keepdims=keepdims),
    lambda F, g, x, y, spread: spread(g * y) / x,
    numpy_names=("prod",),
    method="prod",
)
_reduction(
    "nansum",
    "Sum of the elements that are numbers.",
    lambda xp, data, axes, keepdims: xp.nansum(data, axis=axes, dtype=data.dtype, keepdims=keepdims),
    lambda F, g, x, y, spread: spread(g) * F._equal(x, x),
    numpy_names=("nansum",),
    method="nansum",
)
_reduction(
    "nanprod",
    "Product of the elements that are numbers.",
    lambda xp, data, axes, keepdims: xp.nanprod(data, axis=axes, dtype=data.dtype, keepdims=keepdims),
    lambda F, g, x, y, spread: spread(g * y) / x * F._equal(x, x),
    numpy_names=("nanprod",),
    method="nanprod",
)
_reduction(
    "max",
    "The largest element.",
    lambda xp, data, axes, keepdims: xp.max(data, axis=axes, keepdims=keepdims),
    _among_equals,
    numpy_names=("max", "amax"),
    aliases=("max_axis",),
    method="max",
)
_reduction(
    "min",
    "The smallest element.",
    lambda xp, data, axes, keepdims: xp.min(data, axis=axes, keepdims=keepdims),
    _among_equals,
    numpy_names=("min", "amin"),
    aliases=("min_axis",),
    method="min",
)


def _infer_norm(data: TensorType, /, *, ord: int, axis: Axes, out_dtype: Dtype | None, keepdims: bool) -> TensorType:
    if ord not in {1, 2}:
        raise InferError("ord", f"only the norms of order 1 and 2 are supported, not {ord}")
    result = _infer(data, axis=axis, keepdims=keepdims)
    return result if out_dtype is None else result.with_dtype(out_dtype)


def _norm_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    ord: int,
    axis: Axes,
) -> tuple[Any, ...]:
    x = ins[0]
    if ord == 1:
        return (F._hl_spread(F._hl_cast_like(g, x), x, axis=axis) * F.sign(x),)
    return (F._hl_spread(F._hl_cast_like(g / outs[0], x), x, axis=axis) * x,)


@op(
    infer=_infer_norm,
    grad=_norm_grad,
    samples=[
        sample((2, 3)),
        sample((2, 3), ord=1),
        sample((2, 3, 2), axis=(0, 2)),
        sample((2, 3), axis=-1, keepdims=True),
        sample((2, 3), ord=1, axis=0),
    ],
    facts=Facts(numpy_names=("linalg.norm",)),
    aliases=("_sparse_norm",),
    storage=reductions.NORM,
    method="norm",
)
def norm(
    xp: Any,
    data: Any,
    /,
    *,
    ord: int = 2,
    axis: Axes = None,
    out_dtype: Dtype | None = None,
    keepdims: bool = False,
) -> Any:
    """Return the norm of order 1 or 2 of all elements, or of the vectors along the axes.

    Its dtype is `out_dtype`, or that of the data.
    """
    axes = reduced_axes(axis, False, data.ndim)
    dtype = out_dtype or data.dtype
    wide = data.astype(xp.promote_types(data.dtype, dtype), copy=False)
    total = xp.sum(xp.abs(wide) if ord == 1 else xp.square(wide), axis=axes, dtype=wide.dtype)
    result = total if ord == 1 else xp.sqrt(total)
    return xp.asarray(result).astype(dtype, copy=False).reshape(reduced_shape(data.shape, axes, keepdims))


@waits(when_known)
def _infer_argument(data: TensorType, /, *, axis: int | None, keepdims: bool) -> TensorType:
    if data.dtype == "bool":
        raise InferError("data", "dtype bool is not supported")
    return _infer(data, axis=axis, keepdims=keepdims)


def _position(xp: Any, data: Any, pick: Callable[..., Any], axis: int | None, keepdims: bool) -> Any:
    axes = reduced_axes(axis, False, data.ndim)
    return xp.asarray(pick(data, axis=axis)).astype(data.dtype).reshape(reduced_shape(data.shape, axes, keepdims))


_ARGUMENT_SAMPLES = [sample((2, 3, 2)), sample((2, 3), axis=1), sample((2, 3), axis=-2, keepdims=True)]


@op(
    infer=_infer_argument,
    grad=zero_gradient,
    samples=_ARGUMENT_SAMPLES,
    facts=Facts(numpy_names=("argmax",), positions=True),
    method="argmax",
)
def argmax(xp: Any, data: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the index of the largest element, the first of equal ones, in the dtype of the data."""
    return _position(xp, data, xp.argmax, axis, keepdims)


@op(
    infer=_infer_argument,
    grad=zero_gradient,
    samples=_ARGUMENT_SAMPLES,
    facts=Facts(numpy_names=("argmin",), positions=True),
    method="argmin",
)
def argmin(xp: Any, data: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the index of the smallest element, the first of equal ones, in the dtype of the data."""
    return _position(xp, data, xp.argmin, axis, keepdims)


@op(
    infer=lambda data, /: _infer_argument(data, axis=1, keepdims=False),
    samples=[sample((2, 3)), sample((2, 3, 2))],
    facts=Facts(positions=True),
    method="argmax_channel",
)
def argmax_channel(xp: Any, data: Any, /) -> Any:
    """Return the index of the largest element along dimension 1, in the dtype of the data."""
    return _position(xp, data, xp.argmax, 1, False)


def _infer_moments(data: TensorType, /, *, axes: Axes, keepdims: bool) -> tuple[TensorType, TensorType]:
    if axes in {None, ()}:
        raise InferError("axes", "empty axes are not supported: pass all axes for global moments")
    one = _infer(data, axis=axes, keepdims=keepdims)
    return one, one


def _moments_grad(
    F: Any, g: tuple[Any, Any], ins: tuple[Any, ...], outs: tuple[Any, ...], *, axes: Axes
) -> tuple[Any, ...]:
    x, mean = ins[0], outs[0]
    centered = x - F._hl_spread(mean, x, axis=axes)
    into_mean = F._hl_spread(g[0], x, axis=axes, scaled=True)
    return (into_mean + F._hl_spread(g[1], x, axis=axes, scaled=True) * centered * 2.0,)


@op(
    infer=_infer_moments,
    grad=_moments_grad,
    outputs=2,
    samples=[sample((2, 3), axes=(0,)), sample((2, 3, 2), axes=(0, -1), keepdims=True), sample((2, 3), axes=(0, 1))],
    facts=Facts(written_beside_first=True),
)
def moments(xp: Any, data: Any, /, *, axes: Axes = None, keepdims: bool = False) -> tuple[Any, Any]:
    """Return the mean and the variance over the axes."""
    reduced = reduced_axes(axes, False, data.ndim)
    shape = reduced_shape(data.shape, reduced, keepdims)
    mean = _mean(xp, data, reduced, True).astype(data.dtype, copy=False)
    variance = _mean(xp, xp.square(data - mean), reduced, True).astype(data.dtype, copy=False)
    return mean.reshape(shape), variance.reshape(shape)


def _infer_cumsum(a: TensorType, /, *, axis: int | None, dtype: Dtype | None) -> TensorType:
    result = a.with_dtype(dtype or ("int64" if a.dtype == "bool" else a.dtype))
    if a.shape is None:
        return result
    if axis is None:
        return result.with_shape((product(a.shape),))
    if axis < 0:
        raise InferError("axis", "negative axes are not supported")
    normal_axis(axis, len(a.shape))
    return result


def _cumsum_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: int | None) -> tuple[Any, ...]:
    along = 0 if axis is None else axis
    backwards = F.reverse(F._np_cumsum(F.reverse(g, axis=(along,)), axis=along), axis=(along,))
    return (F.reshape_like(backwards, ins[0]) if axis is None else backwards,)


@op(
    name="_np_cumsum",
    infer=_infer_cumsum,
    grad=_cumsum_grad,
    samples=[sample((2, 3)), sample((2, 3), axis=1), sample((2, 3), axis=0, dtype="float64")],
    facts=Facts(numpy_names=("cumsum",)),
    aliases=("cumsum",),
)
def cumsum(xp: Any, a: Any, /, *, axis: int | None = None, dtype: Dtype | None = None) -> Any:
    """Return cumulative sums along an axis, or of the flattened array if no axis is given."""
    return xp.cumsum(a, axis=axis, dtype=dtype or ("int64" if a.dtype.kind == "b" else a.dtype))


@op(infer=lambda data, /, **params: TensorType((1,), "float32"), samples=[sample((2, 3))])
def all_finite(xp: Any, data: Any, /, *, init_output: bool = True) -> Any:
    """Return 1 if every element is finite, else 0."""
    return xp.isfinite(data).all().astype("float32").reshape(1)


@op(
    infer=lambda *data, **params: TensorType((len(data),), "float32"),
    samples=[sample((2, 3), (4,), num_arrays=2)],
)
def multi_sum_sq(xp: Any, /, *data: Any, num_arrays: int) -> Any:
    """Return the sum of squares of each of several arrays."""
    return xp.stack([xp.sum(xp.square(d.astype("float32", copy=False))) for d in data])


@op(infer=lambda *data, **params: TensorType((1,), "float32"), samples=[sample((2, 3), (4,), num_arrays=2)])
def multi_all_finite(xp: Any, /, *data: Any, num_arrays: int = 1, init_output: bool = True) -> Any:
    """Return 1 if every element of all arrays is finite, else 0."""
    return xp.asarray([float(all(bool(xp.isfinite(d).all()) for d in data))], dtype="float32")
