"""Operators of numpy mode whose result shape may depend on values: positions, unique elements, counts, insertions."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, Refusal, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Floats, InferError, Ints, Shape, TensorType, ValuesError
from hybridlint.runtime.ops.numpy.promotion import is_floating

_NUMBER = TensorType(())
_DYNAMIC = Facts(dynamic_shape=True)


@op(
    infer=lambda x, /: TensorType((Dim.fresh(), len(x.shape) if x.shape is not None else Dim.fresh()), "int64"),
    grad=zero_gradient,
    samples=[sample((2, 3), low=0, high=2, dtypes=("int32",))],
    facts=_DYNAMIC,
    aliases=("_npi_nonzero",),
)
def _npx_nonzero(xp: Any, x: Any, /) -> Any:
    """Return the indices of elements that are not 0: (number of elements, dimensions) of int64."""
    return xp.argwhere(x).astype("int64")


def _infer_check(input: TensorType, /) -> TensorType:
    if input.dtype not in {None, "bool"}:
        raise InferError("input", f"expected dtype bool, got {input.dtype}")
    return TensorType((), "bool")


@op(
    infer=_infer_check,
    grad=zero_gradient,
    samples=[sample((2, 1), dtypes=("bool",))],
)
def _npx_constraint_check(xp: Any, input: Any, /, *, msg: str = "Constraint violated.") -> Any:
    """Return True if all elements are true. Raises ValuesError with the message `msg` otherwise."""
    if not xp.all(input):
        raise ValuesError(msg)
    return xp.asarray(True)


def _distinct_outputs(*, return_index: bool, return_inverse: bool, return_counts: bool) -> int:
    return 1 + return_index + return_inverse + return_counts


def _infer_unique(
    data: TensorType, /, *, return_index: bool, return_inverse: bool, return_counts: bool, axis: int | None
) -> tuple[TensorType, ...]:
    if data.dtype == "bool":
        raise InferError("data", "dtype bool is not supported")
    count = Dim.fresh()
    shape: Shape | None = (count,)
    size: DimLike = Dim.fresh() if data.shape is None else product(data.shape)
    if axis is not None:
        shape = None
        if data.shape is not None:
            place = normal_axis(axis, len(data.shape))
            shape = (*data.shape[:place], count, *data.shape[place + 1 :])
            size = data.shape[place]
    found = [data.with_shape(shape)]
    found += [TensorType((count,), "int64")] * return_index
    found += [TensorType((size,), "int64")] * return_inverse
    found += [TensorType((count,), "int64")] * return_counts
    return tuple(found)


@op(
    infer=_infer_unique,
    grad=zero_gradient,
    outputs=_distinct_outputs,
    samples=[sample((2, 3)), sample((6,), low=0, high=3, dtypes=("int32",), return_index=True, return_counts=True)],
    facts=_DYNAMIC,
)
def _npi_unique(
    xp: Any,
    data: Any,
    /,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Return the sorted unique elements, and on request their first indices, inverse indices and counts."""
    found = xp.unique(data, return_index, return_inverse, return_counts, axis)
    if not isinstance(found, tuple):
        return found
    return tuple(part if k == 0 else part.reshape(-1).astype("int64") for k, part in enumerate(found))


@op(
    infer=lambda a, /, *, shape: a.with_shape(shape),
    grad=lambda F, g, ins, outs: (Refusal("Operator resize does not support gradient computation"),),
    samples=[sample((2, 3), shape=(2,)), sample((2,), shape=(2, 2))],
    facts=Facts(numpy_names=("resize",)),
)
def _hl_resize(xp: Any, a: Any, /, *, shape: Ints = ()) -> Any:
    """Return the elements in another shape, repeated or cut."""
    return xp.resize(a, shape)


@op(
    infer=lambda a, /, *, shape: a.with_shape(None if a.shape is None else (len(shape), *a.shape)),
    grad=zero_gradient,
    samples=[sample((3,), low=0, high=5, dtypes=("int32",), shape=(2, 3))],
    facts=Facts(numpy_names=("unravel_index",)),
)
def _hl_unravel_index(xp: Any, a: Any, /, *, shape: Ints) -> Any:
    """Return the positions in an array of a shape that flat positions are: (dimensions, *a.shape)."""
    return xp.stack(xp.unravel_index(a, shape)).astype(a.dtype)


@op(
    infer=lambda data, weights=_NUMBER, /, *, has_weights: TensorType(
        (Dim.fresh(),), weights.dtype if has_weights else data.dtype
    ),
    grad=zero_gradient,
    active_inputs=lambda *, has_weights: ("data", "weights") if has_weights else ("data",),
    samples=[sample((6,), low=0, high=4, dtypes=(dtype,)) for dtype in ("int32", "int64")],
    facts=Facts(numpy_names=("bincount",), dynamic_shape=True),
)
def _npi_bincount(xp: Any, data: Any, weights: Any = None, /, *, minlength: int = 0, has_weights: bool = False) -> Any:
    """Return the number of occurrences of each integer, or the sum of their weights."""
    found = xp.bincount(data.astype("int64"), weights, minlength)
    return found.astype(data.dtype if weights is None else weights.dtype)


def _infer_histogram(
    data: TensorType, bins: TensorType = _NUMBER, /, *, bin_cnt: int | None
) -> tuple[TensorType, TensorType]:
    if bin_cnt is not None:
        return TensorType((bin_cnt,), "int64"), data.with_shape((bin_cnt + 1,))
    count: DimLike = Dim.fresh() if bins.shape is None else bins.shape[0] + -1
    return TensorType((count,), "int64"), bins


@op(
    infer=_infer_histogram,
    outputs=2,
    active_inputs=lambda *, bin_cnt: ("data",) if bin_cnt is not None else ("data", "bins"),
    samples=[sample((6,), bin_cnt=3, range=(-2.0, 2.0))],
    facts=Facts(numpy_names=("histogram",)),
    aliases=("_npi_histogram",),
)
def _histogram(
    xp: Any, data: Any, bins: Any = None, /, *, bin_cnt: int | None = None, range: Floats | None = None
) -> tuple[Any, Any]:
    """Return the number of elements in each bin. Bins are given by their edges, or by their number and range."""
    counts, edges = xp.histogram(data, bin_cnt if bins is None else bins, range)
    return counts.astype("int64"), edges.astype(data.dtype)


def _infer_polyval(p: TensorType, x: TensorType, /) -> TensorType:
    if p.shape is not None and len(p.shape) != 1:
        raise InferError("p", f"expected 1 dimension, got {len(p.shape)}")
    return x


def _poly_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    coefficients, x = ins
    if not is_floating(x):
        return F.zeros_like(coefficients), F.zeros_like(x)
    powers = F._hl_powers_like(x, coefficients)
    of_p = F.reshape_like(F._npi_tensordot_int_axes(powers, g, axes=len(x.shape)), coefficients)
    return of_p, F._hl_polynomial_slope(coefficients, x) * g


@op(
    infer=_infer_polyval,
    grad=_poly_grad,
    samples=[sample((3,), (2, 2))],
    facts=Facts(numpy_names=("polyval",)),
)
def _npi_polyval(xp: Any, p: Any, x: Any, /) -> Any:
    """Value of the polynomial with coefficients `p`, the highest power first."""
    return xp.polyval(p, x).astype(x.dtype, copy=False)


@op(infer=lambda p, x, /: x, grad=None, samples=[sample((3,), (2, 2)), sample((1,), (2,))])
def _hl_polynomial_slope(xp: Any, p: Any, x: Any, /) -> Any:
    """Return the derivative of the polynomial with coefficients `p` at each x."""
    degree = p.shape[0] - 1
    if not degree:
        return xp.zeros_like(x)
    return xp.polyval(p[:-1] * xp.arange(degree, 0, -1), x).astype(x.dtype, copy=False)


@op(
    infer=lambda x, p, /: x.with_shape(None if x.shape is None or p.shape is None else (*p.shape, *x.shape)),
    grad=None,
    samples=[sample((2, 2), (3,))],
)
def _hl_powers_like(xp: Any, x: Any, p: Any, /) -> Any:
    """Return the powers of x that belong to the coefficients `p`, the highest first: (len(p), *x.shape)."""
    return xp.stack([x**k for k in reversed(range(p.shape[0]))]).astype(x.dtype, copy=False)


def _ends(flag: bool, scalar: float | None, given: TensorType) -> DimLike:
    if flag:
        return Dim.fresh() if given.shape is None else product(given.shape)
    return 0 if scalar is None else 1


def _infer_ediff1d(
    input1: TensorType,
    input2: TensorType = _NUMBER,
    input3: TensorType = _NUMBER,
    /,
    *,
    to_begin_arr_given: bool,
    to_end_arr_given: bool,
    to_begin_scalar: float | None,
    to_end_scalar: float | None,
) -> TensorType:
    if input1.shape is None:
        return input1.with_shape((Dim.fresh(),))
    end = input3 if to_begin_arr_given else input2
    size = product(input1.shape) + -1
    size = size + _ends(to_begin_arr_given, to_begin_scalar, input2)
    return input1.with_shape((size + _ends(to_end_arr_given, to_end_scalar, end),))


def _ediff1d_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    to_begin_arr_given: bool,
    to_end_arr_given: bool,
    to_begin_scalar: float | None,
) -> tuple[Any, ...]:
    given = [x for x in ins[1:] if x is not None]
    begin = given[0] if to_begin_arr_given else None
    end = given[-1] if to_end_arr_given else None
    head = math.prod(begin.shape) if begin is not None else int(to_begin_scalar is not None)
    middle = max(math.prod(ins[0].shape) - 1, 0)
    found = [F._hl_differences_back(F._hl_rows(g, start=head, stop=head + middle), ins[0])]
    if begin is not None:
        found.append(F.reshape_like(F._hl_rows(g, start=0, stop=head), begin))
    if end is not None:
        tail = head + middle
        found.append(F.reshape_like(F._hl_rows(g, start=tail, stop=tail + math.prod(end.shape)), end))
    return (*found, *[None] * (len(ins) - len(found)))


@op(
    infer=lambda data, /, *, start, stop: data.with_shape((stop - start,)),
    grad=None,
    samples=[sample((5,), start=1, stop=3)],
)
def _hl_rows(xp: Any, data: Any, /, *, start: int, stop: int) -> Any:
    """Return some elements of a vector, none at all where `stop` is `start`."""
    return data[start:stop]


@op(infer=lambda data, like, /: data.with_shape(like.shape), grad=None, samples=[sample((5,), (2, 3))])
def _hl_differences_back(xp: Any, data: Any, like: Any, /) -> Any:
    """Return the gradient of the elements of `like` by that of their differences."""
    if like.size < 2:
        return xp.zeros(like.shape, data.dtype)
    return (-xp.diff(xp.pad(data, 1))).reshape(like.shape)


@op(
    infer=_infer_ediff1d,
    grad=_ediff1d_grad,
    active_inputs=lambda *, to_begin_arr_given, to_end_arr_given: ("input1", "input2", "input3")[
        : 1 + to_begin_arr_given + to_end_arr_given
    ],
    samples=[sample((2, 3)), sample((4,), to_begin_scalar=1.0)],
    facts=Facts(numpy_names=("ediff1d",)),
)
def _npi_ediff1d(
    xp: Any,
    input1: Any,
    input2: Any = None,
    input3: Any = None,
    /,
    *,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
) -> Any:
    """Return the differences of neighbours in the flattened array, with given elements before and after them."""
    begin = input2 if to_begin_arr_given else to_begin_scalar
    end = (input3 if to_begin_arr_given else input2) if to_end_arr_given else to_end_scalar
    return xp.ediff1d(input1, end, begin).astype(input1.dtype, copy=False)
