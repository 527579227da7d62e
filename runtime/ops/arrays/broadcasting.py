"""Operators that repeat an array along dimensions of size 1, and the internal ones that undo it in gradients."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.facts.dims import DimLike, differ
from hybridlint.runtime.facts.infer import normal_axes, normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import Axes, InferError, Ints, Shape, TensorType, show_shape

if TYPE_CHECKING:
    from collections.abc import Sequence


def _stretch(data: TensorType, target: Sequence[DimLike | None], argument: str) -> TensorType:
    """Return the type of `data` broadcast to the sizes `target`, where None keeps a size.

    Raises InferError if a size that changes is not 1.
    """
    if data.shape is None:
        sizes = [d for d in target if d is not None]
        return data.with_shape(tuple(sizes) if len(sizes) == len(target) else None)
    if len(data.shape) != len(target):
        wanted = ", ".join("?" if d is None else str(d) for d in target)
        raise InferError(argument, f"shape {show_shape(data.shape)} cannot be broadcasted to ({wanted})")
    return data.with_shape(tuple(_stretched(old, new, argument) for old, new in zip(data.shape, target, strict=True)))


def _stretched(old: DimLike, new: DimLike | None, argument: str) -> DimLike:
    if new is None:
        return old
    if differ(old, 1) and differ(old, new):
        raise InferError(argument, f"size {old} cannot be broadcasted to {new}")
    return new


def _infer_to(data: TensorType, /, *, shape: Ints) -> TensorType:
    return _stretch(data, [d or None for d in shape], "shape")


def _infer_axis(data: TensorType, /, *, axis: Ints, size: Ints) -> TensorType:
    if len(axis) != len(size):
        raise InferError("size", f"{len(axis)} axes and {len(size)} sizes")
    if any(a < 0 for a in axis):
        raise InferError("axis", "negative axes are not supported")
    if data.shape is None:
        return data
    target: list[DimLike | None] = [None] * len(data.shape)
    for a, d in zip(axis, size, strict=True):
        target[normal_axis(a, len(data.shape))] = d
        if differ(data.shape[a], 1):
            raise InferError("axis", f"size {data.shape[a]} of dimension {a} is not 1")
    return _stretch(data, target, "axis")


def _infer_like(lhs: TensorType, rhs: TensorType, /, *, lhs_axes: Axes, rhs_axes: Axes) -> TensorType:
    if rhs.shape is None:
        return lhs.with_shape(None)
    if lhs_axes is None or rhs_axes is None:
        return _stretch(lhs, rhs.shape, "lhs")
    if lhs.shape is None:
        return lhs
    target: list[DimLike | None] = [None] * len(lhs.shape)
    left, right = _paired(lhs_axes, rhs_axes, len(lhs.shape), len(rhs.shape))
    for a, b in zip(left, right, strict=True):
        target[a] = rhs.shape[b]
        if differ(lhs.shape[a], 1):
            raise InferError("lhs", f"size {lhs.shape[a]} of dimension {a} is not 1")
    return _stretch(lhs, target, "lhs")


def _paired(lhs_axes: Axes, rhs_axes: Axes, left: int, right: int) -> tuple[Ints, Ints]:
    if lhs_axes == ():
        raise InferError("lhs_axes", "Empty axes tuple is not allowed")
    pair = normal_axes(lhs_axes, left), normal_axes(rhs_axes, right)
    if len(pair[0]) != len(pair[1]):
        raise InferError("rhs_axes", f"{len(pair[0])} axes on the left, {len(pair[1])} on the right")
    return pair


def _sum_back(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (F._hl_sum_to(g, ins[0]), *[None] * (len(ins) - 1))


@op(
    infer=_infer_to,
    grad=_sum_back,
    samples=[sample((1, 3), shape=(2, 3)), sample((2, 1, 1), shape=(0, 3, 2))],
    facts=Facts(numpy_names=("broadcast_to",)),
    method="broadcast_to",
)
def broadcast_to(xp: Any, data: Any, /, *, shape: Ints = ()) -> Any:
    """Repeat dimensions of size 1 until the array has this shape. A 0 in `shape` keeps the dimension's size."""
    return xp.broadcast_to(data, tuple(new or old for old, new in zip(data.shape, shape, strict=True)))


@op(
    infer=_infer_axis,
    grad=_sum_back,
    samples=[sample((1, 3, 1), axis=(0, 2), size=(2, 4)), sample((2, 1), axis=(1,), size=(3,))],
    aliases=("broadcast_axes",),
    method="broadcast_axes",
)
def broadcast_axis(xp: Any, data: Any, /, *, axis: Ints = (), size: Ints = ()) -> Any:
    """Repeat each dimension in `axis`, which must have size 1, to the size at the same position in `size`."""
    shape = list(data.shape)
    for a, d in zip(axis, size, strict=True):
        shape[a] = d
    return xp.broadcast_to(data, tuple(shape))


@op(
    infer=_infer_like,
    grad=_sum_back,
    samples=[
        sample((1, 3), (2, 3)),
        sample((1, 3), (5, 2), lhs_axes=(0,), rhs_axes=(1,)),
        sample((2, 1, 3), (4, 2), lhs_axes=(-2,), rhs_axes=(-2,)),
    ],
    method="broadcast_like",
)
def broadcast_like(xp: Any, lhs: Any, rhs: Any, /, *, lhs_axes: Axes = None, rhs_axes: Axes = None) -> Any:
    """Repeat dimensions of size 1 to the sizes of `rhs`.

    By default all dimensions, which may have their sizes already; otherwise each axis of `lhs_axes`, which must have
    size 1, gets the size of the corresponding axis of `rhs_axes`.
    """
    if lhs_axes is None or rhs_axes is None:
        return xp.broadcast_to(lhs, rhs.shape)
    shape = list(lhs.shape)
    left, right = _paired(lhs_axes, rhs_axes, lhs.ndim, rhs.ndim)
    for a, b in zip(left, right, strict=True):
        shape[a] = rhs.shape[b]
    return xp.broadcast_to(lhs, tuple(shape))


def _shape_of_like(data: TensorType, like: TensorType, /) -> TensorType:
    return data.with_shape(like.shape)


@op(
    infer=_shape_of_like,
    grad=lambda F, g, ins, outs: (F._hl_broadcast_as(g, ins[0]), None),
    samples=[sample((2, 3), (3,)), sample((2, 4, 3), (2, 1, 3)), sample((2, 3), (2, 3))],
)
def _hl_sum_to(xp: Any, data: Any, like: Any, /) -> Any:
    """Sum a gradient over the dimensions along which `like` was broadcast, so that it has the shape of `like`.

    If `like` was not broadcast, the gradient itself is returned.
    """
    if data.shape == like.shape:
        return data
    shape = (1,) * (data.ndim - like.ndim) + like.shape
    axes = tuple(k for k, (old, new) in enumerate(zip(data.shape, shape, strict=True)) if old != new)
    return xp.sum(data, axis=axes, dtype=data.dtype, keepdims=True).reshape(like.shape)


@op(
    infer=_shape_of_like,
    grad=lambda F, g, ins, outs: (F._hl_sum_to(g, ins[0]), None),
    samples=[sample((3,), (2, 3)), sample((2, 1, 3), (2, 4, 3))],
)
def _hl_broadcast_as(xp: Any, data: Any, like: Any, /) -> Any:
    """Broadcast an array to the shape of `like`, by numpy's rules."""
    return xp.broadcast_to(data, like.shape)


@lru_cache(4096)
def reduced_axes(axis: Axes, exclude: bool, rank: int) -> Ints:
    """Return the axes that a reduction sums over: all if `axis` is empty; with `exclude`, those that are not given.

    Raises InferError if an axis does not exist or is given twice.
    """
    axes = normal_axes(axis, rank)
    if len(set(axes)) != len(axes):
        raise InferError("axis", f"reduction axes have duplicates {axis}")
    if exclude and axis not in {None, ()}:
        return tuple(a for a in range(rank) if a not in axes)
    return tuple(sorted(axes))


def kept_shape(shape: Shape, axes: Ints) -> Shape:
    """Return a shape with size 1 on the given axes."""
    return tuple(1 if k in axes else d for k, d in enumerate(shape))


def _spread_back(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: Axes, exclude: bool, scaled: bool
) -> tuple[Any, ...]:
    reduce = F.mean if scaled else F.sum
    return F.reshape_like(reduce(g, axis=axis, exclude=exclude), ins[0]), None


@op(
    infer=_shape_of_like,
    grad=_spread_back,
    samples=[
        sample((2,), (2, 3), axis=1),
        sample((1, 3), (2, 3), axis=0, scaled=True),
        sample((1,), (2, 3)),
        sample((3,), (2, 3, 2), axis=1, exclude=True),
    ],
)
def _hl_spread(
    xp: Any, data: Any, like: Any, /, *, axis: Axes = None, exclude: bool = False, scaled: bool = False
) -> Any:
    """Broadcast the result of a reduction back to the shape of `like`, the array that was reduced.

    With `scaled`, also divide by the number of elements that each result reduces, as in the gradient of a mean.
    """
    axes = reduced_axes(axis, exclude, like.ndim)
    spread = xp.broadcast_to(data.reshape(kept_shape(like.shape, axes)), like.shape)
    return spread / max(like.size // max(data.size, 1), 1) if scaled else spread
