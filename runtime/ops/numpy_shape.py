"""Operators of numpy mode that move elements: other shapes, other orders, parts."""

from __future__ import annotations

from typing import Any

import hybridlint.runtime.ops.selection  # noqa: F401  (the operators that these are derived from)
from hybridlint.runtime.dims import Dim, DimLike, differ, product
from hybridlint.runtime.infer import broadcast_shapes, normal_axis
from hybridlint.runtime.ops.elementwise import zero_gradient
from hybridlint.runtime.registry import Facts, derive, op, sample
from hybridlint.runtime.types import Axes, InferError, Ints, Pairs, Shape, TensorType, show_shape


def _back(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (F.reshape_like(g, ins[0]),)


derive("_np_copy", "_copy", facts=Facts(numpy_names=("copy",)))


def _infer_reshape(a: TensorType, /, *, newshape: Ints, order: str) -> TensorType:
    if order != "C":
        raise InferError("order", f"only C order is supported, got {order}")
    if any(size < -1 for size in newshape) or newshape.count(-1) > 1:
        raise InferError("newshape", f"{newshape} is no shape")
    if a.shape is None:
        return a.with_shape(tuple(Dim.fresh() if d == -1 else d for d in newshape))
    total, known = product(a.shape), product(tuple(d for d in newshape if d != -1))
    if -1 not in newshape:
        _require_size(a.shape, total, newshape, known)
        return a.with_shape(newshape)
    if isinstance(total, int) and isinstance(known, int) and (known == 0 or total % known):
        raise InferError("newshape", f"{show_shape(a.shape)} cannot be reshaped to {show_shape(newshape)}")
    return a.with_shape(tuple(_quotient(total, known) if d == -1 else d for d in newshape))


def _quotient(total: DimLike, known: DimLike) -> DimLike:
    """Divide sizes; of a number by an unknown size nothing is known."""
    if isinstance(total, int):
        return total // known if isinstance(known, int) else Dim.fresh()
    return total // known


def _require_size(shape: Shape, total: DimLike, newshape: Shape, known: DimLike) -> None:
    if differ(total, known):
        raise InferError("newshape", f"{show_shape(shape)} cannot be reshaped to {show_shape(newshape)}")


@op(
    infer=_infer_reshape,
    grad=_back,
    samples=[sample((2, 3), newshape=(3, 2)), sample((2, 3), newshape=(-1,)), sample((), newshape=(1, 1))],
    facts=Facts(numpy_names=("reshape",)),
)
def _np_reshape(xp: Any, a: Any, /, *, newshape: Ints, order: str = "C") -> Any:
    """Give the elements another shape, in which -1 is inferred."""
    return a.reshape(newshape)


def coded_shape(shape: Shape, codes: Ints) -> Shape:
    """Resolve the codes of ``npx.reshape``.

    -1 is inferred, -2 copies a size, -3 drops a size of 1, -4 copies all that are left, -5 merges two, -6 splits one
    into the next two numbers. Raises InferError.
    """
    result: list[DimLike | None] = []
    rest, codes_left = list(shape), list(codes)
    while codes_left:
        code = codes_left.pop(0)
        if code >= 0:
            result.append(code)
            rest = rest[1:]
        elif code == -1:
            result.append(None)
            rest = rest[1:]
        elif code == -4:
            result += rest
            rest = []
        elif code == -5:
            result.append(_next(rest) * _next(rest))
        elif code == -6:
            result += _split(_next(rest), [codes_left.pop(0), codes_left.pop(0)])
        elif code == -2:
            result.append(_next(rest))
        elif code == -3:
            if differ(_next(rest), 1):
                raise InferError("newshape", "code -3 drops a dimension whose size is not 1")
        else:
            raise InferError("newshape", f"unknown code {code}")
    return _with_inferred(shape, result)


def _next(rest: list[DimLike]) -> DimLike:
    if not rest:
        raise InferError("newshape", "more codes than dimensions")
    return rest.pop(0)


def _split(size: DimLike, parts: list[int]) -> list[DimLike]:
    if -1 not in parts:
        return list(parts)
    known = parts[1] if parts[0] == -1 else parts[0]
    return [size // known if p == -1 else p for p in parts]


def _with_inferred(shape: Shape, result: list[DimLike | None]) -> Shape:
    total, known = product(shape), product(tuple(d for d in result if d is not None))
    if result.count(None) > 1:
        raise InferError("newshape", "only one size can be inferred")
    if None not in result:
        _require_size(shape, total, tuple(d for d in result if d is not None), known)
    elif isinstance(total, int) and isinstance(known, int) and (known == 0 or total % known):
        raise InferError("newshape", f"{show_shape(shape)} does not divide by {known}")
    return tuple(_quotient(total, known) if d is None else d for d in result)


@op(
    infer=lambda a, /, *, newshape, reverse: a.with_shape(
        None if a.shape is None else _directed(a.shape, newshape, reverse)
    ),
    grad=_back,
    samples=[
        sample((2, 3, 4), newshape=(-2, -1)),
        sample((1, 3, 4), newshape=(-3, -4)),
        sample((2, 3, 4), newshape=(-5, -4)),
        sample((6, 4), newshape=(-6, 2, -1, -2)),
    ],
    aliases=("_npi_reshape",),
)
def _npx_reshape(xp: Any, a: Any, /, *, newshape: Ints, reverse: bool = False, order: str = "C") -> Any:
    """Give the elements another shape, by codes that copy, drop, merge, split sizes; `reverse` reads from the end."""
    return a.reshape(_directed(a.shape, newshape, reverse))


def _directed(shape: Shape, codes: Ints, reverse: bool) -> Shape:
    return coded_shape(shape[::-1], codes[::-1])[::-1] if reverse else coded_shape(shape, codes)


def _infer_squeeze(a: TensorType, /, *, axis: Axes) -> TensorType:
    if a.shape is None:
        return a
    if axis is None:
        if any(isinstance(size, Dim) for size in a.shape):
            return a.with_shape(None)
        return a.with_shape(tuple(size for size in a.shape if size != 1))
    dropped = {normal_axis(k, len(a.shape)) for k in ((axis,) if isinstance(axis, int) else axis)}
    if any(differ(a.shape[k], 1) for k in dropped):
        raise InferError("axis", f"{axis} of {show_shape(a.shape)} has a size other than 1")
    return a.with_shape(tuple(size for k, size in enumerate(a.shape) if k not in dropped))


@op(
    infer=_infer_squeeze,
    grad=_back,
    samples=[sample((1, 3, 1)), sample((1, 3, 1), axis=0), sample((1, 1))],
    facts=Facts(numpy_names=("squeeze",)),
)
def _np_squeeze(xp: Any, a: Any, /, *, axis: Axes = None) -> Any:
    """Remove dimensions of size 1: all, or those in `axis`."""
    return xp.squeeze(a, axis)


def _order(rank: int, axes: Ints | None) -> Ints:
    if axes is None or axes == ():
        return tuple(range(rank))[::-1]
    order = tuple(normal_axis(a, rank, "axes") for a in axes)
    if sorted(order) != list(range(rank)):
        raise InferError("axes", f"{axes} is no order of {rank} dimensions")
    return order


@op(
    infer=lambda a, /, *, axes: a.with_shape(
        None if a.shape is None else tuple(a.shape[k] for k in _order(len(a.shape), axes))
    ),
    grad=lambda F, g, ins, outs, *, axes: (F._np_transpose(g, axes=_inverse(len(ins[0].shape), axes)),),
    samples=[sample((2, 3, 4)), sample((2, 3, 4), axes=(1, -1, 0)), sample(())],
    facts=Facts(numpy_names=("transpose",)),
)
def _np_transpose(xp: Any, a: Any, /, *, axes: Ints | None = None) -> Any:
    """Put the axes into the order `axes`, or reverse them."""
    return xp.transpose(a, _order(a.ndim, axes))


def _inverse(rank: int, axes: Ints | None) -> Ints:
    order = _order(rank, axes)
    return tuple(sorted(range(rank), key=order.__getitem__))


def _moved(rank: int, source: Ints, destination: Ints) -> Ints:
    if len(source) != len(destination):
        raise InferError("source", "as many sources as destinations are needed")
    sources = [normal_axis(s, rank, "source") for s in source]
    targets = [normal_axis(d, rank, "destination") for d in destination]
    order = [axis for axis in range(rank) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return tuple(order)


@op(
    infer=lambda a, /, *, source, destination: a.with_shape(
        None if a.shape is None else tuple(a.shape[k] for k in _moved(len(a.shape), source, destination))
    ),
    grad=lambda F, g, ins, outs, *, source, destination: (F._np_moveaxis(g, source=destination, destination=source),),
    samples=[sample((2, 3, 4), source=(0,), destination=(-1,)), sample((2, 3, 4), source=(0, 1), destination=(1, 2))],
    facts=Facts(numpy_names=("moveaxis",)),
)
def _np_moveaxis(xp: Any, a: Any, /, *, source: Ints, destination: Ints) -> Any:
    """Move axes to other places."""
    return xp.transpose(a, _moved(a.ndim, source, destination))


@op(
    infer=lambda array, /, *, shape: array.with_shape(_target(array.shape, shape)),
    grad=lambda F, g, ins, outs: (F._hl_sum_to(g, ins[0]),),
    samples=[sample((1, 3), shape=(2, 3)), sample((3,), shape=(2, 3)), sample((), shape=(2,))],
    facts=Facts(numpy_names=("broadcast_to",)),
)
def _npi_broadcast_to(xp: Any, array: Any, /, *, shape: Ints = ()) -> Any:
    """Repeat the array until it has a shape, by numpy's rules; -2 keeps a size."""
    return xp.broadcast_to(array, _target(array.shape, shape))


def _target(shape: Shape | None, target: Ints) -> Shape:
    if shape is None:
        return tuple(Dim.fresh() if d == -2 else d for d in target)
    padded = (1,) * (len(target) - len(shape)) + shape
    wanted = tuple(p if d == -2 else d for p, d in zip(padded, target, strict=False))
    if len(padded) != len(target) or any(differ(p, 1) and differ(p, w) for p, w in zip(padded, wanted, strict=True)):
        raise InferError("shape", f"{show_shape(shape)} does not broadcast to {show_shape(target)}")
    return wanted


def _flip_axes(axis: Axes, rank: int) -> Ints:
    if axis is None:
        return tuple(range(rank))
    return tuple(normal_axis(a, rank) for a in ((axis,) if isinstance(axis, int) else axis))


def _infer_flip(data: TensorType, /, *, axis: Axes) -> TensorType:
    if data.shape is not None:
        _flip_axes(axis, len(data.shape))
    return data


@op(
    infer=_infer_flip,
    grad=lambda F, g, ins, outs, *, axis: (F._npi_flip(g, axis=axis),),
    samples=[sample((2, 3), axis=(0, 1)), sample((2, 3), axis=(1,))],
    facts=Facts(numpy_names=("flip",)),
)
def _npi_flip(xp: Any, data: Any, /, *, axis: Axes = None) -> Any:
    """Reverse the order of elements along axes, or along all."""
    return xp.flip(data, _flip_axes(axis, data.ndim))


def _turned(shape: Shape, k: int, axes: Ints) -> Shape:
    if len(axes) != 2:
        raise InferError("axes", "two axes span the plane of a rotation")
    first, second = (normal_axis(a, len(shape), "axes") for a in axes)
    order = list(range(len(shape)))
    if k % 2:
        order[first], order[second] = order[second], order[first]
    return tuple(shape[a] for a in order)


@op(
    infer=lambda data, /, *, k, axes: data.with_shape(
        None if data.shape is None else _turned(data.shape, k, axes or (0, 1))
    ),
    # MXNet 1.9 turns the gradient on, where it should be turned back.
    grad=lambda F, g, ins, outs, *, k, axes: (F._npi_rot90(g, k=k, axes=axes),),
    samples=[sample((2, 3), axes=(0, 1)), sample((2, 3, 4), k=3, axes=(1, 2))],
    facts=Facts(numpy_names=("rot90",)),
)
def _npi_rot90(xp: Any, data: Any, /, *, k: int = 1, axes: Ints | None = None) -> Any:
    """Turn the plane of two axes by quarters."""
    return xp.rot90(data, k, axes or (0, 1))


@op(
    infer=lambda data, /: data,
    grad=lambda F, g, ins, outs, *, shift, axis: (F._np_roll(g, shift=tuple(-s for s in shift or ()), axis=axis),),
    samples=[
        sample((2, 3), shift=(1,)),
        sample((2, 3), shift=(1,), axis=(1,)),
        sample((2, 3), shift=(1, 2), axis=(0, 1)),
    ],
    facts=Facts(numpy_names=("roll",)),
)
def _np_roll(xp: Any, data: Any, /, *, shift: Ints | None = None, axis: Ints | None = None) -> Any:
    """Shift elements along axes; those that fall off one end come in at the other."""
    if axis is None:
        return xp.roll(data, sum(shift or ()))
    return xp.roll(data, shift if len(shift or ()) > 1 else (shift or (0,)) * len(axis), axis)


@op(
    infer=lambda data, /, *, k: _infer_triangle(data),
    grad=lambda F, g, ins, outs, *, k: (F._npi_tril(g, k=k),),
    samples=[sample((3, 3)), sample((2, 3, 4), k=1), sample((3, 2), k=-1)],
    facts=Facts(numpy_names=("tril",)),
)
def _npi_tril(xp: Any, data: Any, /, *, k: int = 0) -> Any:
    """Keep the lower triangle of the last two dimensions; of a vector's rows repeated."""
    return xp.tril(data, k)


def _infer_triangle(data: TensorType) -> TensorType:
    if data.shape is not None and len(data.shape) == 1:
        return data.with_shape((data.shape[0], data.shape[0]))
    return data


def _diagonal_shape(shape: Shape, offset: int, axis1: int, axis2: int) -> Shape:
    first, second = normal_axis(axis1, len(shape), "axis1"), normal_axis(axis2, len(shape), "axis2")
    rows, columns = shape[first], shape[second]
    rest = tuple(d for k, d in enumerate(shape) if k not in {first, second})
    if isinstance(rows, int) and isinstance(columns, int):
        return (*rest, max(min(rows + min(offset, 0), columns - max(offset, 0)), 0))
    return (*rest, Dim.fresh())


def _infer_diagonal(data: TensorType, /, *, offset: int, axis1: int, axis2: int) -> TensorType:
    return data.with_shape(None if data.shape is None else _diagonal_shape(data.shape, offset, axis1, axis2))


_DIAGONALS = [sample((3, 3)), sample((2, 3), offset=1), sample((2, 3, 3), axis1=1, axis2=2)]


@op(
    infer=_infer_diagonal,
    grad=lambda F, g, ins, outs, **where: (F._hl_from_diagonal(g, ins[0], **where),),
    samples=_DIAGONALS,
    facts=Facts(numpy_names=("diagonal",)),
)
def _np_diagonal(xp: Any, data: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonal of two axes, as the last dimension."""
    return xp.diagonal(data, offset, axis1, axis2)


@op(
    infer=lambda data, like, /: data.with_shape(like.shape),
    grad=lambda F, g, ins, outs, **where: (F._np_diagonal(g, **where), None),
    samples=[sample((3,), (3, 3)), sample((2,), (2, 3), offset=1)],
)
def _hl_from_diagonal(xp: Any, data: Any, like: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Put a diagonal into zeros of the shape of `like`."""
    result = xp.zeros(like.shape, data.dtype)
    view = xp.moveaxis(result, (axis1, axis2), (-2, -1))
    rows = xp.arange(data.shape[-1]) + max(-offset, 0)
    view[..., rows, rows + offset] = data
    return result


@op(
    infer=lambda data, /, *, offset, axis1, axis2: data.with_shape(
        None if data.shape is None else _diagonal_shape(data.shape, offset, axis1, axis2)[:-1]
    ),
    grad=lambda F, g, ins, outs, **where: (F._hl_from_trace(g, ins[0], **where),),
    samples=_DIAGONALS,
    facts=Facts(numpy_names=("trace",)),
)
def _np_trace(xp: Any, data: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sum of the diagonal of two axes."""
    return xp.asarray(xp.trace(data, offset, axis1, axis2)).astype(data.dtype, copy=False)


@op(
    infer=lambda data, like, /: data.with_shape(like.shape),
    grad=lambda F, g, ins, outs, **where: (F._np_trace(g, **where), None),
    samples=[sample((), (3, 3)), sample((2,), (2, 3, 3), axis1=1, axis2=2)],
)
def _hl_from_trace(xp: Any, data: Any, like: Any, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Put a number on the whole diagonal of zeros of the shape of `like`."""
    result = xp.zeros(like.shape, data.dtype)
    view = xp.moveaxis(result, (axis1, axis2), (-2, -1))
    size = xp.diagonal(like, offset, axis1, axis2).shape[-1]
    rows = xp.arange(size) + max(-offset, 0)
    view[..., rows, rows + offset] = data[..., None]
    return result


def _infer_diag(data: TensorType, /, *, k: int) -> TensorType:
    if data.shape is None:
        return data
    if len(data.shape) == 1:
        size = data.shape[0] + abs(k)
        return data.with_shape((size, size))
    if len(data.shape) != 2:
        raise InferError("data", f"expected 1 or 2 dimensions, got {len(data.shape)}")
    return data.with_shape(_diagonal_shape(data.shape, k, 0, 1))


@op(
    infer=_infer_diag,
    grad=lambda F, g, ins, outs, *, k: (
        F._np_diag(g, k=k) if len(ins[0].shape) == 1 else F._hl_from_diagonal(g, ins[0], offset=k),
    ),
    samples=[sample((3,)), sample((3,), k=1), sample((2, 3)), sample((3, 3), k=-1)],
    facts=Facts(numpy_names=("diag",)),
)
def _np_diag(xp: Any, data: Any, /, *, k: int = 0) -> Any:
    """Return the diagonal of a matrix, or a matrix with a vector on its diagonal."""
    return xp.diag(data, k)


def _infer_diagflat(data: TensorType, /, *, k: int) -> TensorType:
    if data.shape is None:
        return data
    size = product(data.shape) + abs(k)
    return data.with_shape((size, size))


@op(
    infer=_infer_diagflat,
    grad=lambda F, g, ins, outs, *, k: (F.reshape_like(F._np_diag(g, k=k), ins[0]),),
    samples=[sample((2, 2)), sample((3,), k=-1)],
    facts=Facts(numpy_names=("diagflat",)),
)
def _np_diagflat(xp: Any, data: Any, /, *, k: int = 0) -> Any:
    """Return a matrix with all elements on its diagonal."""
    return xp.diagflat(data, k)


def _pairs(pad_width: Any, rank: int) -> tuple[tuple[int, int], ...]:
    rows = pad_width if isinstance(pad_width, (tuple, list)) else (pad_width,)
    if all(isinstance(row, int) for row in rows):
        rows = (rows,) * rank if len(rows) == 2 else tuple((row, row) for row in rows) * rank
    pairs = tuple((row[0], row[-1]) for row in rows)
    if len(pairs) == 1:
        pairs *= rank
    if len(pairs) != rank:
        raise InferError("pad_width", f"{len(pairs)} pairs for {rank} dimensions")
    return pairs


def _infer_pad(data: TensorType, /, *, pad_width: Any) -> TensorType:
    if data.shape is None:
        return data
    pairs = _pairs(pad_width, len(data.shape))
    return data.with_shape(
        tuple(size + (before + after) for size, (before, after) in zip(data.shape, pairs, strict=True))
    )


def _pad_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, pad_width: Any, mode: str
) -> tuple[Any, ...]:
    if mode != "constant":
        raise NotImplementedError(f"the gradient of np.pad with mode={mode!r}")
    pairs = _pairs(pad_width, len(ins[0].shape))
    begin = tuple(before for before, _ in pairs)
    end = tuple(before + size for (before, _), size in zip(pairs, ins[0].shape, strict=True))
    return (F.slice(g, begin=begin, end=end),)


@op(
    infer=_infer_pad,
    grad=_pad_grad,
    samples=[
        sample((2, 3), pad_width=((0, 0), (1, 2))),
        sample((2, 3), pad_width=((1, 1), (1, 1)), constant_value=2.0),
    ],
    facts=Facts(numpy_names=("pad",)),
)
def _npi_pad(
    xp: Any,
    data: Any,
    /,
    *,
    pad_width: Pairs,
    mode: str = "constant",
    constant_value: float = 0.0,
    reflect_type: str = "even",
) -> Any:
    """Add elements around the array."""
    extra = {"constant_values": constant_value} if mode == "constant" else {}
    return xp.pad(data, _pairs(pad_width, data.ndim), mode=mode, **extra)


def _infer_diff(a: TensorType, /, *, n: int, axis: int) -> TensorType:
    if a.shape is None:
        return a
    place = normal_axis(axis, len(a.shape))
    size = a.shape[place]
    left = max(size - n, 0) if isinstance(size, int) else size - n
    return a.with_shape((*a.shape[:place], left, *a.shape[place + 1 :]))


def _diff_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, n: int, axis: int) -> tuple[Any, ...]:
    rank = len(ins[0].shape)
    place = normal_axis(axis, rank)
    width = tuple((1, 1) if k == place else (0, 0) for k in range(rank))
    for _ in range(n):
        g = -F._npi_diff(F._npi_pad(g, pad_width=width), axis=axis)
    return (g,)


@op(
    infer=_infer_diff,
    grad=_diff_grad,
    samples=[sample((2, 4)), sample((4, 2), n=2, axis=0)],
    facts=Facts(numpy_names=("diff",)),
)
def _npi_diff(xp: Any, a: Any, /, *, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours along an axis, `n` times."""
    return xp.diff(a, n, axis)


def _at_least(rank: int) -> None:
    def shape_of(t: TensorType) -> TensorType:
        if t.shape is None:
            return t
        return t.with_shape(tuple(_atleast_shape(t.shape, rank)))

    def kernel(xp: Any, /, *arys: Any, num_args: int = 1) -> Any:
        found = [a.reshape(_atleast_shape(a.shape, rank)) for a in arys]
        return found[0] if len(found) == 1 else tuple(found)

    kernel.__name__ = f"_np_atleast_{rank}d"
    kernel.__doc__ = f"Give arrays of fewer dimensions {rank}."
    op(
        infer=lambda *arys: shape_of(arys[0]) if len(arys) == 1 else tuple(map(shape_of, arys)),
        grad=lambda F, g, ins, outs: tuple(
            F.reshape_like(h, x) for h, x in zip((g,) if len(ins) == 1 else g, ins, strict=True)
        ),
        outputs=lambda *, num_args: num_args,
        samples=[sample(()), sample((3,)), sample((2, 3))],
        facts=Facts(numpy_names=(f"atleast_{rank}d",)),
    )(kernel)


def _atleast_shape(shape: Shape, rank: int) -> Shape:
    if len(shape) >= rank:
        return shape
    if rank < 3:
        return (1,) * (rank - len(shape)) + shape
    return {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)]


for _rank in (1, 2, 3):
    _at_least(_rank)


@op(
    infer=lambda condition, x, y, /: _infer_where(condition, x, y),
    grad=lambda F, g, ins, outs: (
        None,
        F._hl_sum_to(F._npi_where_rscalar(ins[0], g, scalar=0.0), ins[1]),
        F._hl_sum_to(F._npi_where_lscalar(ins[0], g, scalar=0.0), ins[2]),
    ),
    samples=[sample((2, 3), (2, 3), (2, 3), dtypes=("bool",)), sample((2, 1), (3,), (2, 3), dtypes=("int32",))],
    facts=Facts(numpy_names=("where",)),
)
def _npi_where(xp: Any, condition: Any, x: Any, y: Any, /) -> Any:
    """Elements of x where the condition is not 0, else of y, with broadcasting."""
    return xp.where(condition != 0, x, y)


def _infer_where(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
    if x.dtype is not None and y.dtype is not None and x.dtype != y.dtype:
        raise InferError("y", f"expected dtype {x.dtype}, got {y.dtype}")
    return TensorType(broadcast_shapes(condition.shape, broadcast_shapes(x.shape, y.shape)), x.dtype or y.dtype)


def _infer_choice(condition: TensorType, x: TensorType, /) -> TensorType:
    return x.with_shape(broadcast_shapes(condition.shape, x.shape))


@op(
    infer=_infer_choice,
    # In MXNet 1.9 the gradient comes from where the number was chosen, not from where the array was.
    grad=lambda F, g, ins, outs: (None, F._hl_sum_to(F._npi_where_lscalar(ins[0], g, scalar=0.0), ins[1])),
    samples=[sample((2, 3), (2, 3), scalar=1.5, dtypes=("bool",))],
)
def _npi_where_rscalar(xp: Any, condition: Any, x: Any, /, *, scalar: float = 0.0) -> Any:
    """Elements of the array where the condition is not 0, else a number."""
    return xp.where(condition != 0, x, xp.asarray(scalar).astype(x.dtype))


@op(
    infer=_infer_choice,
    # As above: the gradient comes from where the number was chosen.
    grad=lambda F, g, ins, outs: (None, F._hl_sum_to(F._npi_where_rscalar(ins[0], g, scalar=0.0), ins[1])),
    samples=[sample((2, 3), (2, 3), scalar=1.5, dtypes=("bool",))],
)
def _npi_where_lscalar(xp: Any, condition: Any, y: Any, /, *, scalar: float = 0.0) -> Any:
    """Return a number where the condition is not 0, else elements of the array."""
    return xp.where(condition != 0, xp.asarray(scalar).astype(y.dtype), y)


@op(
    infer=lambda condition, /: condition.with_dtype("float32"),
    grad=zero_gradient,
    samples=[sample((2, 3), x=1.5, y=-1.0, dtypes=("bool",))],
)
def _npi_where_scalar2(xp: Any, condition: Any, /, *, x: float = 0.0, y: float = 0.0) -> Any:
    """One number where the condition is not 0, else another."""
    return xp.where(condition != 0, x, y).astype("float32")
