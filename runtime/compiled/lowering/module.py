"""The array module of traced arrays: kernels that get it in place of numpy tell what they compute."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, pi
from typing import Any

from hybridlint.runtime.compiled.lowering.elements import broadcast
from hybridlint.runtime.compiled.lowering.gathered import RowPositions
from hybridlint.runtime.compiled.lowering.traced import Traced, apply, as_dtype, as_value, reduce_elements
from hybridlint.runtime.compiled.lowering.values import Along, ArrayValue, CannotLower, Number, Padded, Product, Sizes
from hybridlint.runtime.compiled.lowering.views import join_parts, repeat_value, reshape_value, view_elements
from hybridlint.runtime.platforms.numpy_platform import NUMPY

#: Functions of elements that have the same name in numpy and here.
_ELEMENTWISE = frozenset(
    [
        *("abs", "add", "cbrt", "copysign", "divide", "fmod", "hypot", "maximum", "minimum", "multiply", "negative"),
        *("power", "reciprocal", "remainder", "sign", "sqrt", "square", "subtract"),
        *("equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "less", "less_equal", "not_equal"),
        *("logical_and", "logical_not", "logical_or", "logical_xor"),
        *("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "logaddexp"),
        *("ceil", "floor", "rint", "trunc"),
        *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "degrees", "radians"),
        *("cos", "cosh", "sin", "sinh", "tan", "tanh"),
    ]
)
_RENAMED = {"absolute": "abs", "fabs": "abs", "true_divide": "divide", "fix": "trunc", "mod": "remainder"}
_REDUCTIONS = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "amax": "maximum",
    "min": "minimum",
    "amin": "minimum",
}


class TracedModule:
    """Numpy's functions, on traced arrays. Those that are missing here take no traced array: they raise CannotLower."""

    #: Not numpy's: kernels that compute on numpy in a way of its own ask for the name of their array module.
    __name__ = "traced"
    inf, nan, pi = inf, nan, pi
    newaxis = None

    def __getattr__(self, name: str) -> Any:
        if name in _ELEMENTWISE or name in _RENAMED:
            return _function(name, _RENAMED.get(name, name))
        if name in _REDUCTIONS:
            return _reduction(_REDUCTIONS[name])
        found = getattr(NUMPY.xp, name)
        return _guarded(name, found) if callable(found) and not isinstance(found, type) else found

    @staticmethod
    def where(condition: Any, left: Any, right: Any) -> Traced:
        return apply("where", condition, left, right)

    @staticmethod
    def clip(data: Any, low: Any, high: Any, out: Any = None) -> Any:
        if isinstance(data, RowPositions):
            return data.clipped(low, high)
        return _written(apply("minimum", apply("maximum", data, low), high), out)

    @staticmethod
    def mean(data: Traced, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Traced:
        if dtype is not None and NUMPY.xp.dtype(dtype) != data.dtype:
            raise CannotLower(f"{NUMPY.xp.dtype(dtype).name} inside it")
        return data.mean(axis, keepdims)

    @staticmethod
    def asarray(data: Any, dtype: Any = None) -> Any:
        if not isinstance(data, Traced):
            return NUMPY.xp.asarray(data, dtype=dtype)
        return data if dtype is None else data.astype(dtype, copy=False)

    ascontiguousarray = asarray

    @staticmethod
    def empty(shape: Any, dtype: Any = float) -> Traced:
        return TracedModule.full(shape, 0.0, dtype)

    zeros = empty

    @staticmethod
    def ones(shape: Any, dtype: Any = float) -> Traced:
        return TracedModule.full(shape, 1.0, dtype)

    @staticmethod
    def full(shape: Any, number: Any, dtype: Any = None) -> Traced:
        if isinstance(number, Traced):
            raise CannotLower("an array filled with a value of another")
        sizes: Sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        filled = Traced(Number(sizes, number=float(number)))
        made: Traced = filled.astype("float32" if dtype is None else dtype, copy=False)
        return made

    @staticmethod
    def empty_like(data: Traced, dtype: Any = None) -> Traced:
        return TracedModule.full(data.shape, 0.0, dtype or data.dtype)

    zeros_like = empty_like

    @staticmethod
    def ones_like(data: Traced, dtype: Any = None) -> Traced:
        return TracedModule.full(data.shape, 1.0, dtype or data.dtype)

    @staticmethod
    def full_like(data: Traced, number: Any, dtype: Any = None) -> Traced:
        return TracedModule.full(data.shape, number, dtype or data.dtype)

    @staticmethod
    def copyto(out: Traced, data: Any) -> None:
        out.become(as_value(data))

    @staticmethod
    def copy(data: Traced) -> Traced:
        return data.copy()

    @staticmethod
    def result_type(*operands: Any) -> Any:
        return NUMPY.xp.dtype("float32")

    promote_types = result_type

    # -- shapes

    @staticmethod
    def reshape(data: Traced, shape: Any) -> Traced:
        return data.reshape(shape)

    @staticmethod
    def transpose(data: Traced, axes: Any = None) -> Traced:
        return data.transpose(*(axes or ()))

    @staticmethod
    def swapaxes(data: Traced, one: int, other: int) -> Traced:
        return data.swapaxes(one, other)

    @staticmethod
    def moveaxis(data: Traced, source: int, target: int) -> Traced:
        order = [k for k in range(data.ndim) if k != source % data.ndim]
        order.insert(target % data.ndim, source % data.ndim)
        return data.transpose(order)

    @staticmethod
    def expand_dims(data: Traced, axis: int) -> Traced:
        at = axis % (data.ndim + 1)
        return data.reshape(*data.shape[:at], 1, *data.shape[at:])

    @staticmethod
    def squeeze(data: Traced, axis: Any = None) -> Traced:
        return data.squeeze(axis)

    @staticmethod
    def flip(data: Traced, axis: Any = None) -> Traced:
        listed = range(data.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = {a % data.ndim for a in listed}
        return data[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(data.ndim))]

    @staticmethod
    def take(data: Traced, indices: Any, axis: int) -> Traced:
        if not isinstance(indices, RowPositions):
            raise CannotLower("an index that is an array")
        return Traced(indices.taken(data.value, axis % data.ndim), writable=False)

    @staticmethod
    def tile(data: Any, repeats: Any) -> Any:
        if not isinstance(data, Traced):
            return NUMPY.xp.tile(data, repeats)
        listed = (repeats,) if isinstance(repeats, int) else tuple(repeats)
        rank = max(len(listed), data.ndim)
        counts, sizes = (1,) * (rank - len(listed)) + listed, (1,) * (rank - data.ndim) + data.shape
        apart = reshape_value(data.value, tuple(part for size in sizes for part in (1, size)))
        whole = repeat_value(apart, tuple(part for pair in zip(counts, sizes, strict=True) for part in pair))
        return Traced(
            reshape_value(whole, tuple(n * size for n, size in zip(counts, sizes, strict=True))), writable=False
        )

    @staticmethod
    def repeat(data: Any, repeats: Any, axis: Any = None) -> Any:
        if not isinstance(data, Traced):
            return NUMPY.xp.repeat(data, repeats, axis)
        if not isinstance(repeats, int):
            raise CannotLower("as many repeats as an array says")
        if axis is None:
            data, axis = data.reshape(-1), 0
        before, after = data.shape[: axis % data.ndim + 1], data.shape[axis % data.ndim + 1 :]
        whole = repeat_value(reshape_value(data.value, (*before, 1, *after)), (*before, repeats, *after))
        shape = (*before[:-1], before[-1] * repeats, *after)
        return Traced(reshape_value(whole, shape), writable=False)

    @staticmethod
    def broadcast_to(data: Traced, shape: Any) -> Traced:
        if broadcast(data.shape, tuple(shape)) != tuple(shape):
            raise ValueError(f"could not broadcast {data.shape} to {shape}")
        return Traced(repeat_value(data.value, tuple(shape)), writable=False)

    @staticmethod
    def concatenate(arrays: Any, axis: int = 0, out: Any = None) -> Traced:
        values = [as_dtype(as_value(a), False) for a in arrays]
        return _written(Traced(join_parts(values, axis % len(values[0].shape)), writable=False), out)

    @staticmethod
    def split(data: Traced, parts: Any, axis: int = 0) -> list[Traced]:
        size = data.shape[axis]
        if isinstance(parts, int) and size % parts:
            raise ValueError("array split does not result in an equal division")
        inner = [size // parts * k for k in range(1, parts)] if isinstance(parts, int) else list(parts)
        before = [slice(None)] * (axis % data.ndim)
        bounds = zip([0, *inner], [*inner, size], strict=True)
        return [data[(*before, slice(begin, end))] for begin, end in bounds]

    @staticmethod
    def stack(arrays: Any, axis: int = 0, out: Any = None) -> Traced:
        at = axis % (arrays[0].ndim + 1)
        return TracedModule.concatenate([TracedModule.expand_dims(a, at) for a in arrays], at, out)

    # -- products and windows

    @property
    def lib(self) -> TracedModule:
        """The module itself: its functions stand in no modules of their own."""
        return self

    stride_tricks = lib

    @staticmethod
    def sliding_window_view(data: Traced, window_shape: Any, axis: Any) -> Traced:
        widths, axes = tuple(window_shape), tuple(a % data.ndim for a in axis)
        shape = list(data.shape)
        index = [Along(0, ((k, 1),)) for k in range(data.ndim)]
        for k, (width, a) in enumerate(zip(widths, axes, strict=True)):
            shape[a] -= width - 1
            index[a] = Along(0, ((a, 1), (data.ndim + k, 1)))
        return Traced(view_elements(data.value, (*shape, *widths), tuple(index)), writable=False)

    @staticmethod
    def pad(data: Traced, widths: Any, mode: str = "constant", constant_values: float = 0.0) -> Traced:
        if mode != "constant":
            raise CannotLower("a frame of other elements")
        shape = tuple(size + before + after for size, (before, after) in zip(data.shape, widths, strict=True))
        before = tuple(first for first, _ in widths)
        number = float(constant_values)
        return Traced(Padded(shape, source=as_dtype(data.value, False), before=before, number=number, in_order=True))

    @staticmethod
    def tensordot(left: Traced, right: Traced, axes: Any) -> Traced:
        """Sum over the last axes of the left array and the first ones of the right."""
        if not isinstance(axes, int) or not axes or left.ndim == axes or right.ndim != axes + 1:
            raise CannotLower("a tensor product of this form")
        rows, columns = left.shape[:-axes], right.shape[axes:]
        batched = repeat_value(as_dtype(right.value, False), (*rows[:-1], *right.shape))
        return Traced(Product((*rows, *columns), left=as_dtype(left.value, False), right=batched, inner=axes))

    @staticmethod
    def matmul(left: Traced, right: Traced, out: Any = None) -> Traced:
        return _written(Traced(_product(as_dtype(as_value(left), False), as_dtype(as_value(right), False))), out)


def _function(numpys: str, name: str) -> Callable[..., Any]:
    def call(*operands: Any, out: Any = None) -> Any:
        if any(isinstance(operand, RowPositions) for operand in operands):
            raise CannotLower("integers inside it")
        if not any(isinstance(operand, Traced) for operand in operands):
            return getattr(NUMPY.xp, numpys)(*operands)
        return _written(apply(name, *operands), out)

    if name == "add":
        call.at = Traced.add_at  # type: ignore[attr-defined]
    return call


def _reduction(function: str) -> Callable[..., Traced]:
    def call(data: Traced, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Traced:
        return reduce_elements(function, data, axis, keepdims)

    return call


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if any(_holds_traced(a) for a in (*arguments, *named.values())):
            raise CannotLower(f"the function {name}")
        return function(*arguments, **named)

    return call


def _holds_traced(argument: Any) -> bool:
    if isinstance(argument, (list, tuple)):
        return any(map(_holds_traced, argument))
    return isinstance(argument, (Traced, RowPositions))


def _written(result: Traced, out: Any) -> Traced:
    if out is None:
        return result
    if not isinstance(out, Traced) or out.shape != result.shape:
        raise CannotLower("a result in an array of another kind")
    return out.become(result.value)


def _product(left: ArrayValue, right: ArrayValue) -> ArrayValue:
    if not left.shape or not right.shape:
        raise CannotLower("a matrix product with a number")
    wide = left if len(left.shape) > 1 else reshape_value(left, (1, *left.shape))
    tall = right if len(right.shape) > 1 else reshape_value(right, (*right.shape, 1))
    if wide.shape[-1] != tall.shape[-2]:
        raise ValueError(f"matmul of {left.shape} and {right.shape}")
    if not wide.size or not tall.size:
        raise CannotLower("an array without elements")
    batch = broadcast(wide.shape[:-2], tall.shape[:-2])
    one = _batched(wide, batch)
    other = _batched(tall, batch)
    result: ArrayValue = Product((*batch, wide.shape[-2], tall.shape[-1]), left=one, right=other)
    dropped = tuple(-2 for _ in range(len(left.shape) == 1)) + tuple(-1 for _ in range(len(right.shape) == 1))
    rank = len(result.shape)
    kept = tuple(size for k, size in enumerate(result.shape) if k - rank not in dropped)
    return reshape_value(result, kept)


def _batched(value: ArrayValue, batch: Sizes) -> ArrayValue:
    shape = (*batch, *value.shape[-2:])
    return value if value.shape == shape else repeat_value(value, shape)
