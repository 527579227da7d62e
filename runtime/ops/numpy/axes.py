"""Operators of numpy mode that permute, reverse, rotate and repeat axes."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import Axes, InferError, Ints, Shape, TensorType, ValuesInferError, show_shape


def _order(rank: int, axes: Ints | None) -> Ints:
    if axes is None or axes == ():
        return tuple(range(rank))[::-1]
    if len(axes) != rank:
        raise InferError("axes", f"{axes} is no order of {rank} dimensions")
    order = tuple(normal_axis(a, rank, "axes") for a in axes)
    if len(set(order)) < rank:
        raise ValuesInferError("axes", f"Repeated axis in transpose: {axes}")
    return order


@op(
    infer=lambda a, /, *, axes: a.with_shape(
        None if a.shape is None else tuple(a.shape[k] for k in _order(len(a.shape), axes))
    ),
    grad=lambda F, g, ins, outs, *, axes: (F._np_transpose(g, axes=_inverse(len(ins[0].shape), axes)),),
    samples=[sample((2, 3, 4)), sample((2, 3, 4), axes=(1, -1, 0)), sample(())],
    facts=Facts(numpy_names=("transpose",)),
    differentiable_twice=True,
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
    differentiable_twice=True,
)
def _np_moveaxis(xp: Any, a: Any, /, *, source: Ints, destination: Ints) -> Any:
    """Move the axes `source` to the positions `destination`."""
    return xp.transpose(a, _moved(a.ndim, source, destination))


@op(
    infer=lambda array, /, *, shape: array.with_shape(_target(array.shape, shape)),
    grad=lambda F, g, ins, outs: (F._hl_sum_to(g, ins[0]),),
    samples=[sample((1, 3), shape=(2, 3)), sample((3,), shape=(2, 3)), sample((), shape=(2,))],
    facts=Facts(numpy_names=("broadcast_to",)),
)
def _npi_broadcast_to(xp: Any, array: Any, /, *, shape: Ints = ()) -> Any:
    """Broadcast the array to a shape, by numpy's rules; a size of -2 keeps the array's size."""
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
    differentiable_twice=True,
)
def _npi_rot90(xp: Any, data: Any, /, *, k: int = 1, axes: Ints | None = None) -> Any:
    """Rotate the plane of two axes `k` times by 90 degrees."""
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
    differentiable_twice=True,
)
def _np_roll(xp: Any, data: Any, /, *, shift: Ints | None = None, axis: Ints | None = None) -> Any:
    """Shift elements along axes; those that fall off one end come in at the other."""
    if axis is None:
        return xp.roll(data, sum(shift or ()))
    return xp.roll(data, shift if len(shift or ()) > 1 else (shift or (0,)) * len(axis), axis)
