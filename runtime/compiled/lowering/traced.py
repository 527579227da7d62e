"""Traced arrays: a kernel runs on them, they compute nothing, and they record its operations as values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any

from hybridlint.runtime.compiled.lowering.elements import bare, map_elements, round_half
from hybridlint.runtime.compiled.lowering.gathered import RowPositions
from hybridlint.runtime.compiled.lowering.scattered import Scattered
from hybridlint.runtime.compiled.lowering.values import (
    HALF,
    Along,
    ArrayValue,
    CannotLower,
    Number,
    Padded,
    Reduce,
    Sizes,
    Table,
)
from hybridlint.runtime.compiled.lowering.views import (
    join_parts,
    repeat_value,
    reshape_value,
    rows_of,
    transpose_value,
    view_elements,
)
from hybridlint.runtime.platforms.numpy_platform import NUMPY

#: Larger arrays of numbers are not part of native code.
_LARGEST_TABLE = 1 << 16
_FLOAT = NUMPY.xp.dtype("float32")
_BOOL = NUMPY.xp.dtype("bool")
_POSITION = NUMPY.xp.dtype("int64")


class Traced:
    """An array that represents a value. Writing to it gives it another value, as long as nobody has looked at it."""

    __slots__ = ("_shared", "_value", "_writable")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: ArrayValue, *, writable: bool = True) -> None:
        self._value = value
        self._writable = writable
        self._shared = False

    # -- what it is

    @property
    def value(self) -> ArrayValue:
        """The value that it represents."""
        return self._value

    @property
    def shape(self) -> Sizes:
        """Its shape."""
        return self._value.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The element type."""
        return _BOOL if self._value.predicate else _FLOAT

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise CannotLower("a function that needs values")

    def __bool__(self) -> bool:
        raise CannotLower("a decision on values")

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    # -- writing

    def become(self, value: ArrayValue) -> Traced:
        """Take another value of the same shape. Raises CannotLower where someone else would see it."""
        if not self._writable or self._shared:
            raise CannotLower("writing to an array that others look at")
        self._value = as_dtype(repeat_value(value, self.shape), self._value.predicate)
        return self

    def __setitem__(self, key: Any, item: Any) -> None:
        place = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        if place is Ellipsis:
            self.become(as_value(item))
            return
        if not isinstance(place, int):
            self.become(self._framed(place, as_value(item)))
            return
        rows = len(self)
        part = reshape_value(repeat_value(as_value(item), self.shape[1:]), (1, *self.shape[1:]))
        at = place % rows
        parts = [*rows_of(self._value, 0, at), part, *rows_of(self._value, at + 1, rows)]
        self.become(join_parts(parts, 0))

    def _framed(self, key: Any, item: ArrayValue) -> ArrayValue:
        """Return the value after a block of it was set, where it was one number before."""
        places = _full_key(key, self.ndim)
        number = self._value
        blocks = all(isinstance(part, slice) and part.step in {None, 1} for part in places)
        if not isinstance(number, Number) or item.predicate or not blocks:
            raise CannotLower("writing to a part of an array")
        ranges = [range(*part.indices(size)) for part, size in zip(places, self.shape, strict=True)]
        inside = repeat_value(item, tuple(len(r) for r in ranges))
        return Padded(self.shape, source=inside, before=tuple(r.start for r in ranges), number=number.number)

    def add_at(self, key: Any, item: Any) -> None:
        """Add to a block with steps of an array of zeros, as ``numpy.add.at`` does."""
        places = _full_key(key, self.ndim)
        empty = isinstance(self._value, Number) and self._value.number == 0
        base = Scattered(self.shape) if empty else self._value
        if not isinstance(base, Scattered) or not all(isinstance(part, slice) for part in places):
            raise CannotLower("adding to a part of an array")
        ranges = [range(*part.indices(size)) for part, size in zip(places, self.shape, strict=True)]
        if not all(len(r) and r.step > 0 for r in ranges):
            raise CannotLower("adding to a part without elements, or backwards")
        value = repeat_value(as_dtype(as_value(item), False), tuple(map(len, ranges)))
        self.become(base.with_part(value, tuple(r.start for r in ranges), tuple(r.step for r in ranges)))

    # -- looking

    def _look(self, value: ArrayValue) -> Traced:
        self._shared = True
        return Traced(value, writable=False)

    def reshape(self, *shape: Any) -> Traced:
        """Return the elements in another shape, in which one size may be -1."""
        sizes = tuple(map(int, shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape))
        known = prod(size for size in sizes if size != -1)
        full = tuple(self.size // max(known, 1) if size == -1 else size for size in sizes)
        if prod(full) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {sizes}")
        if full == self.shape:
            return self
        return self._look(reshape_value(self._value, full))

    def transpose(self, *order: Any) -> Traced:
        """Return the array with its axes in another order, by default the opposite one."""
        listed = order[0] if len(order) == 1 and isinstance(order[0], (tuple, list)) else order
        axes = listed or tuple(range(self.ndim))[::-1]
        return self._look(transpose_value(self._value, tuple(axis % self.ndim for axis in axes)))

    @property
    def T(self) -> Traced:
        """The array with its axes in the opposite order."""
        return self.transpose()

    def swapaxes(self, one: int, other: int) -> Traced:
        """Return the array with two axes exchanged."""
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        return self.transpose(order)

    def squeeze(self, axis: Any = None) -> Traced:
        """Return the array without axes of size 1: all of them, or those named."""
        listed = range(self.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        dropped = {a % self.ndim for a in listed}
        return self.reshape(tuple(size for k, size in enumerate(self.shape) if k not in dropped or size != 1))

    def __getitem__(self, key: Any) -> Traced:
        if isinstance(key, RowPositions):
            return self._look(key.taken(self._value))
        index: list[Along] = []
        shape: list[int] = []
        for part in _full_key(key, self.ndim):
            if part is None:
                shape.append(1)
                continue
            size = self.shape[len(index)]
            if isinstance(part, slice):
                steps = range(*part.indices(size))
                index.append(Along(steps.start if steps else 0, ((len(shape), steps.step),)))
                shape.append(len(steps))
            else:
                index.append(Along(operator.index(part) % size))
        return self._look(view_elements(self._value, tuple(shape), tuple(index)))

    # -- other arrays

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the array in another type: float32 or bool, float32 with the numbers of float16, or positions."""
        wanted = NUMPY.xp.dtype(dtype)
        if wanted == _POSITION:
            return RowPositions(as_dtype(self._value, False))
        if wanted == HALF:
            return Traced(round_half(as_dtype(self._value, False)))
        if wanted not in {_FLOAT, _BOOL}:
            raise CannotLower(f"{wanted.name} inside it")
        if wanted == self.dtype and not copy:
            return self
        return Traced(as_dtype(self._value, wanted == _BOOL))

    def copy(self, order: str = "C") -> Traced:
        """Return another array with the same value; an order of memory is no part of it."""
        return Traced(self._value)

    def fill(self, number: float) -> None:
        """Give all elements one value."""
        self.become(Number((), number=float(number)))

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Traced:
        """Return sums over axes."""
        return reduce_elements("add", self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Traced:
        """Return means over axes."""
        total = reduce_elements("add", self, axis, keepdims)
        count = self.size // max(total.size, 1)
        return Traced(map_elements("divide", total.value, Number((), number=float(count))))

    def max(self, axis: Any = None, keepdims: bool = False) -> Traced:
        """Return the largest elements over axes."""
        return reduce_elements("maximum", self, axis, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Traced:
        """Return the smallest elements over axes."""
        return reduce_elements("minimum", self, axis, keepdims)

    def __neg__(self) -> Traced:
        return apply("negative", self)

    def __abs__(self) -> Traced:
        return apply("abs", self)

    def __invert__(self) -> Traced:
        return apply("logical_not", self)

    def __pow__(self, power: Any) -> Traced:
        return apply("power", self, power)


def _install(symbol: str, function: str) -> None:
    """Give traced arrays one of Python's operators, its reflection and its form in place."""

    def forward(self: Traced, other: Any) -> Traced:
        return apply(function, self, other)

    def backward(self: Traced, other: Any) -> Traced:
        return apply(function, other, self)

    def in_place(self: Traced, other: Any) -> Traced:
        return self.become(apply(function, self, other).value)

    forms: dict[str, Callable[[Traced, Any], Traced]] = {"": forward, "r": backward, "i": in_place}
    for prefix, method in forms.items():
        setattr(Traced, f"__{prefix}{symbol}__", method)


for _symbol, _function in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "and": "logical_and",
    "or": "logical_or",
}.items():
    _install(_symbol, _function)

for _symbol, _function in {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}.items():

    def _compare(function: str) -> Callable[[Traced, Any], Traced]:
        return lambda self, other: apply(function, self, other)

    setattr(Traced, f"__{_symbol}__", _compare(_function))


#: Functions whose results are truth values.
PREDICATES = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"} | {
    *("logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "isfinite")
}
_LOGIC = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def apply(function: str, *operands: Any) -> Traced:
    """Return a function of elements of arrays and numbers."""
    values = [as_value(operand) for operand in operands]
    if function == "power":
        return _power(*values)
    if function == "where":
        condition, *branches = values
        values = [as_dtype(condition, True), *(as_dtype(v, False) for v in branches)]
    elif function in _LOGIC:
        values = [as_dtype(v, True) for v in values]
    else:
        if all(v.predicate for v in values):
            raise CannotLower("arithmetic on truth values")
        values = [as_dtype(v, False) for v in values]
    return Traced(map_elements(function, *values, predicate=function in PREDICATES))


def _power(base: ArrayValue, exponent: ArrayValue) -> Traced:
    if base.predicate:
        raise CannotLower("arithmetic on truth values")
    return Traced(map_elements("power", base, as_dtype(exponent, False)))


def as_value(operand: Any) -> ArrayValue:
    """Return the value of an operand: a traced array, a number, or a numpy array as a number or table."""
    if isinstance(operand, Traced):
        return operand.value
    if isinstance(operand, (bool, int, float)):
        return Number((), number=float(operand))
    raw = NUMPY.xp.asarray(operand)
    if raw.size and raw.dtype.kind in "biuf" and bool((raw == raw.reshape(-1)[0]).all()):
        return Number(raw.shape, number=float(raw.reshape(-1)[0]))
    if not raw.size or raw.size > _LARGEST_TABLE or raw.dtype.kind not in "biuf":
        raise CannotLower(f"an array of {raw.dtype.name} inside it")
    return Table(raw.shape, raw=NUMPY.xp.array(raw, _FLOAT, order="C"))


def as_dtype(value: ArrayValue, predicate: bool) -> ArrayValue:
    """Return a value as truth values or as numbers."""
    if value.predicate == predicate:
        return value
    zero = Number((), number=0.0)
    return map_elements("not_equal", value, zero, predicate=True) if predicate else map_elements("as_number", value)


def reduce_elements(function: str, data: Traced, axis: Any, keepdims: bool) -> Traced:
    """Return elements combined over axes, all of them if None."""
    listed = range(data.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = tuple(sorted({a % data.ndim for a in listed})) if data.ndim else ()
    source = bare(as_dtype(data.value, False))
    if data.size == 0:
        raise CannotLower("an array without elements")
    kept = tuple(size for k, size in enumerate(data.shape) if k not in axes)
    result: ArrayValue = Reduce(kept, function=function, source=source, axes=axes) if axes else source
    if keepdims:
        result = reshape_value(result, tuple(1 if k in axes else size for k, size in enumerate(data.shape)))
    return Traced(result)


def _full_key(key: Any, rank: int) -> list[Any]:
    """Return an index with a part for each axis and None for each new one."""
    parts = list(key) if isinstance(key, tuple) else [key]
    given = sum(1 for part in parts if part is not None and part is not Ellipsis)
    if not all(part is None or part is Ellipsis or isinstance(part, (int, slice)) for part in parts):
        raise CannotLower("an index that is an array")
    rest = [slice(None)] * (rank - given)
    if Ellipsis not in parts:
        return [*parts, *rest]
    at = parts.index(Ellipsis)
    return [*parts[:at], *rest, *parts[at + 1 :]]
