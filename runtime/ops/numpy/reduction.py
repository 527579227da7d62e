"""Reductions of numpy mode. Over all axes they leave no dimension at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Axes, Dtype, InferError, TensorType
from hybridlint.runtime.ops.numpy.promotion import is_float, is_floating, is_half, reduced, tuple_of_axes

_NUMBER = TensorType(())
_SAMPLES = [
    sample((2, 3, 2), low=0.5),
    sample((2, 3, 2), low=0.5, axis=1),
    sample((2, 3, 2), low=0.5, axis=(0, -1), keepdims=True),
    sample((3,), low=0.5, axis=0),
    sample((), low=0.5),
]


def _total_dtype(given: str | None, dtype: str | None) -> str | None:
    return dtype or ("int64" if given == "bool" else given)


def _mean_dtype(given: str | None, dtype: str | None) -> str | None:
    return dtype or (given if given is None or is_float(given) else "float32")


def _accumulated_in(given: Any, wanted: str | None) -> str:
    """Return the dtype that a sum, product or mean is computed in: halves would lose digits, integers fractions."""
    found: str = given.name if wanted is None or (given.kind == "f" and not is_float(wanted)) else wanted
    return "float32" if found == "float16" else found


def _own_dtype(given: str | None, dtype: str | None) -> str | None:
    return given


def _infer(result: Callable[..., str | None]) -> Callable[..., TensorType]:
    def infer(a: TensorType, /, *, axis: Axes, keepdims: bool, dtype: Dtype | None = None) -> TensorType:
        shape = None if a.shape is None else reduced(a.shape, axis, keepdims)
        if a.shape is None and axis is None and not keepdims:
            shape = ()
        return TensorType(shape, result(a.dtype, dtype))

    return infer


def _spread(F: Any, value: Any, x: Any, axis: Axes, *, scaled: bool = False) -> Any:
    return F._hl_numpy_spread(value, x, axis=axis, scaled=scaled)


@op(
    infer=lambda data, like, /: data.with_shape(like.shape),
    grad=lambda F, g, ins, outs, *, axis, scaled: (
        F.reshape_like((F._npi_mean if scaled else F._np_sum)(g, axis=axis, keepdims=True), ins[0]),
        None,
    ),
    samples=[sample((2,), (2, 3), axis=1), sample((), (2, 3)), sample((1, 3), (2, 3), axis=0, scaled=True)],
)
def _hl_numpy_spread(xp: Any, data: Any, like: Any, /, *, axis: Axes = None, scaled: bool = False) -> Any:
    """Broadcast the result of a reduction back to the shape of `like`, the array that was reduced.

    With `scaled`, also divide by the number of elements that each result reduces.
    """
    kept = reduced(like.shape, axis, True)
    spread = xp.broadcast_to(data.reshape(kept), like.shape)
    return (spread / max(like.size // max(data.size, 1), 1)).astype(data.dtype) if scaled else spread


def _back_in_dtype(F: Any, gradient: Any, x: Any) -> Any:
    return gradient if gradient.dtype == x.dtype else F._hl_cast_like(gradient, x)


def _reduction(
    name: str,
    doc: str,
    function: Callable[..., Any],
    grad: Callable[..., Any],
    result: Callable[..., str | None] = _total_dtype,
    *,
    typed: bool = True,
    numpy_names: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> None:
    """Register a reduction: `function` is ``(xp, a, axes, keepdims, initial)``, `grad` ``(F, g, x, y, spread)``.

    With `typed`, the operator has a parameter for the dtype to compute in.
    """

    def reduce(xp: Any, a: Any, axis: Axes, dtype: str | None, keepdims: bool, initial: float | None) -> Any:
        wanted = result(a.dtype.name, dtype)
        axes = tuple_of_axes(a.shape, axis)
        held = _accumulated_in(a.dtype, wanted) if typed else wanted
        value = function(xp, a.astype(held, copy=False), axes, keepdims, initial)
        return xp.asarray(value).astype(wanted, copy=False)

    def typed_kernel(
        xp: Any,
        a: Any,
        /,
        *,
        axis: Axes = None,
        dtype: Dtype | None = None,
        keepdims: bool = False,
        initial: float | None = None,
    ) -> Any:
        return reduce(xp, a, axis, dtype, keepdims, initial)

    def plain_kernel(
        xp: Any, a: Any, /, *, axis: Axes = None, keepdims: bool = False, initial: float | None = None
    ) -> Any:
        return reduce(xp, a, axis, None, keepdims, initial)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: Axes) -> tuple[Any, ...]:
        x, y = ins[0], outs[0]
        # An integer result of floating-point elements must not cut the gradient to integers.
        exact = is_floating(y)
        wide = x if x.dtype == y.dtype or not exact else F._hl_cast_like(x, y)

        def spread(value: Any, scaled: bool = False) -> Any:
            # A mean is divided in the dtype of the elements, except halves, which cannot count far.
            narrow = scaled and is_floating(x) and not is_half(x)
            held = _back_in_dtype(F, value, x) if narrow or not exact else value
            return _spread(F, held, x, axis, scaled=scaled)

        return (_back_in_dtype(F, grad(F, g, wide, y, spread), x),)

    kernel = typed_kernel if typed else plain_kernel
    kernel.__name__, kernel.__doc__ = name, doc
    op(
        infer=_infer(result),
        grad=gradient,
        samples=_SAMPLES,
        facts=Facts(numpy_names=numpy_names or (name.rpartition("_")[2],)),
        aliases=aliases,
    )(kernel)


def _among_equals(F: Any, g: Any, x: Any, y: Any, spread: Callable[..., Any]) -> Any:
    return spread(g) * F._equal(x, spread(y))


def _started(xp: Any, value: Any, initial: float | None) -> dict[str, Any]:
    return {} if initial is None else {"initial": initial}


_reduction(
    "_np_sum",
    "Sum of the elements.",
    lambda xp, a, axes, keepdims, initial: xp.sum(
        a, axis=axes, dtype=a.dtype, keepdims=keepdims, **_started(xp, a, initial)
    ),
    lambda F, g, x, y, spread: spread(g),
)
_reduction(
    "_np_prod",
    "Product of the elements.",
    lambda xp, a, axes, keepdims, initial: xp.prod(
        a, axis=axes, dtype=a.dtype, keepdims=keepdims, **_started(xp, a, initial)
    ),
    lambda F, g, x, y, spread: spread(g * y) / x,
    aliases=("_np_product",),
    numpy_names=("prod", "product"),
)
_reduction(
    "_npi_mean",
    "Mean of the elements; of integers it is float32.",
    lambda xp, a, axes, keepdims, initial: xp.mean(a, axis=axes, dtype=a.dtype, keepdims=keepdims),
    lambda F, g, x, y, spread: spread(g, scaled=True),
    _mean_dtype,
)
_reduction(
    "_np_max",
    "The largest element.",
    lambda xp, a, axes, keepdims, initial: xp.max(a, axis=axes, keepdims=keepdims, **_started(xp, a, initial)),
    _among_equals,
    _own_dtype,
    typed=False,
    aliases=("_np_amax",),
    numpy_names=("max", "amax"),
)
_reduction(
    "_np_min",
    "The smallest element.",
    lambda xp, a, axes, keepdims, initial: xp.min(a, axis=axes, keepdims=keepdims, **_started(xp, a, initial)),
    _among_equals,
    _own_dtype,
    typed=False,
    aliases=("_np_amin",),
    numpy_names=("min", "amin"),
)


def _infer_spread(
    a: TensorType, /, *, axis: Axes, dtype: Dtype | None, keepdims: bool
) -> tuple[TensorType, TensorType]:
    if a.dtype == "bool":
        raise InferError("a", "dtype bool is not supported")
    shape = None if a.shape is None else reduced(a.shape, axis, keepdims)
    return TensorType(shape, dtype or a.dtype), TensorType(shape, dtype or a.dtype)


def _deviation(name: str, root: bool) -> None:
    """Register the variance or its root, with the mean as a hidden output."""

    def kernel(
        xp: Any, a: Any, /, *, axis: Axes = None, dtype: Dtype | None = None, ddof: int = 0, keepdims: bool = False
    ) -> tuple[Any, Any]:
        axes = tuple_of_axes(a.shape, axis)
        wide = a if a.dtype.kind == "f" else a.astype("float64")
        result = (xp.std if root else xp.var)(wide, axis=axes, ddof=ddof, keepdims=keepdims)
        mean = xp.mean(wide, axis=axes, keepdims=keepdims)
        wanted = dtype or a.dtype
        return xp.asarray(result).astype(wanted, copy=False), xp.asarray(mean).astype(wanted, copy=False)

    kernel.__name__ = f"_npi_{name}"
    kernel.__doc__ = "Standard deviation of the elements." if root else "Variance of the elements."
    op(
        infer=_infer_spread,
        # MXNet 1.9 gives no gradient here, without a word.
        grad=zero_gradient,
        outputs=2,
        visible=1,
        samples=[sample((2, 3)), sample((2, 3), axis=1), sample((2, 3, 2), axis=(0, 2), keepdims=True, ddof=1)],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


_deviation("var", root=False)
_deviation("std", root=True)


def _quantifier(name: str, aliases: tuple[str, ...] = ()) -> None:
    def kernel(xp: Any, data: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Any:
        return xp.asarray(getattr(xp, name)(data, axis=tuple_of_axes(data.shape, axis), keepdims=keepdims))

    kernel.__name__ = f"_np_{name}"
    kernel.__doc__ = f"Whether {name} of the elements are not 0."
    op(
        infer=_infer(lambda given, dtype: "bool"),
        grad=zero_gradient,
        samples=_SAMPLES,
        facts=Facts(numpy_names=(name,)),
        aliases=aliases,
    )(kernel)


_quantifier("any", ("_np_sometrue",))
_quantifier("all")


def _infer_position(data: TensorType, /, *, axis: int | None, keepdims: bool) -> TensorType:
    if data.dtype == "bool":
        raise InferError("data", "dtype bool is not supported")
    return TensorType(None if data.shape is None else reduced(data.shape, axis, keepdims), "int64")


def _position(name: str, doc: str) -> None:
    def kernel(xp: Any, data: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
        found = xp.asarray(getattr(xp, name)(data, axis=axis)).astype("int64")
        return found.reshape(reduced(data.shape, axis, keepdims))

    kernel.__name__, kernel.__doc__ = f"_npi_{name}", doc
    op(
        infer=_infer_position,
        grad=zero_gradient,
        samples=[sample((2, 3, 2)), sample((2, 3), axis=1), sample((2, 3), axis=-2, keepdims=True)],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


_position("argmax", "Index of the largest element, the first of several, as int64.")
_position("argmin", "Index of the smallest element, the first of several, as int64.")


def _infer_average(
    a: TensorType, weights: TensorType = _NUMBER, /, *, axis: Axes, returned: bool, weighted: bool
) -> tuple[TensorType, TensorType]:
    if a.dtype == "bool":
        raise InferError("a", "dtype bool is not supported")
    shape = None if a.shape is None else reduced(a.shape, axis, False)
    return TensorType(shape, a.dtype), TensorType(shape, a.dtype)


def _average_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: Axes, weighted: bool, returned: bool
) -> tuple[Any, ...]:
    x = ins[0]
    head, of_total = g if returned else (g, None)
    if not weighted:
        return (_spread(F, head, x, axis, scaled=True), None)[: len(ins)]
    weights = F._hl_weights_like(ins[1], x, axis=axis)
    share = _spread(F, head / outs[1], x, axis)
    from_weights = share * F.broadcast_sub(x, _spread(F, outs[0], x, axis))
    if of_total is not None:
        from_weights = from_weights + _spread(F, of_total, x, axis)
    return share * weights, F._hl_weights_sum(from_weights, ins[1], axis=axis)


def _weight_shape(shape: tuple[DimLike, ...], weights: tuple[DimLike, ...], axis: Axes) -> tuple[DimLike, ...]:
    """Return the shape of weights that broadcasts to the data: their own, or a vector along `axis`."""
    if len(weights) == len(shape):
        return weights
    place = normal_axis(axis if isinstance(axis, int) else (axis or (0,))[0], len(shape))
    return tuple(weights[0] if k == place else 1 for k in range(len(shape)))


@op(
    infer=lambda weights, like, /: weights.with_shape(like.shape),
    grad=lambda F, g, ins, outs, *, axis: (F._hl_weights_sum(g, ins[0], axis=axis), None),
    samples=[sample((3,), (2, 3), axis=1), sample((2, 3), (2, 3))],
)
def _hl_weights_like(xp: Any, weights: Any, like: Any, /, *, axis: Axes = None) -> Any:
    """Broadcast the weights of an average to the shape of its data."""
    return xp.broadcast_to(weights.reshape(_weight_shape(like.shape, weights.shape, axis)), like.shape)


@op(
    infer=lambda data, weights, /: weights,
    grad=lambda F, g, ins, outs, *, axis: (F._hl_weights_like(g, ins[0], axis=axis), None),
    samples=[sample((2, 3), (3,), axis=1), sample((2, 3), (2, 3))],
)
def _hl_weights_sum(xp: Any, data: Any, weights: Any, /, *, axis: Axes = None) -> Any:
    """Sum a gradient of the data's shape over the axes along which the weights were broadcast."""
    shape = _weight_shape(data.shape, weights.shape, axis)
    axes = tuple(k for k, (old, new) in enumerate(zip(data.shape, shape, strict=True)) if old != new)
    return xp.sum(data, axis=axes, keepdims=True).reshape(weights.shape)


@op(
    infer=_infer_average,
    grad=_average_grad,
    outputs=2,
    visible=lambda *, returned: 2 if returned else 1,
    active_inputs=lambda *, weighted: ("a", "weights") if weighted else ("a",),
    samples=[
        sample((2, 3), weighted=False),
        sample((2, 3), (2, 3), low=0.5),
        sample((2, 3), (3,), low=0.5, axis=1),
        sample((2, 3), (2, 3), low=0.5, returned=True),
    ],
    facts=Facts(numpy_names=("average",)),
)
def _npi_average(
    xp: Any, a: Any, weights: Any = None, /, *, axis: Axes = None, returned: bool = False, weighted: bool = True
) -> tuple[Any, Any]:
    """Return the weighted mean of the elements and the sum of the weights."""
    axes = tuple_of_axes(a.shape, axis)
    if weights is None:
        mean = xp.asarray(xp.mean(a, axis=axes)).astype(a.dtype)
        return mean, xp.full(mean.shape, a.size // max(mean.size, 1), dtype=a.dtype)
    wide = xp.broadcast_to(weights.reshape(_weight_shape(a.shape, weights.shape, axis)), a.shape)
    total = xp.asarray(xp.sum(wide, axis=axes, dtype=a.dtype))
    return xp.asarray(xp.sum(a * wide, axis=axes, dtype=a.dtype) / total), total


def _infer_percentile(
    a: TensorType, q: TensorType = _NUMBER, /, *, axis: Axes, keepdims: bool, q_scalar: float | None
) -> TensorType:
    if a.dtype == "bool":
        raise InferError("a", "dtype bool is not supported")
    dtype = "float64" if a.dtype == "float64" else None if a.dtype is None else "float32"
    points = () if q_scalar is not None else q.shape
    shape = None if a.shape is None or points is None else (*points, *reduced(a.shape, axis, keepdims))
    return TensorType(shape, dtype)


@op(
    infer=_infer_percentile,
    grad=zero_gradient,
    active_inputs=lambda *, q_scalar: ("a", "q") if q_scalar is None else ("a",),
    samples=[sample((2, 3), q_scalar=50.0), sample((2, 3), (2,), low=0, high=100, axis=1)],
    facts=Facts(numpy_names=("percentile",)),
)
def _npi_percentile(
    xp: Any,
    a: Any,
    q: Any = None,
    /,
    *,
    axis: Axes = None,
    interpolation: str = "linear",
    keepdims: bool = False,
    q_scalar: float | None = None,
) -> Any:
    """Return the percentiles `q` of the elements; float32 for integers."""
    axes = tuple_of_axes(a.shape, axis)
    found = xp.percentile(a, q if q_scalar is None else q_scalar, axis=axes, method=interpolation, keepdims=keepdims)
    return xp.asarray(found).astype("float64" if a.dtype.name == "float64" else "float32")
