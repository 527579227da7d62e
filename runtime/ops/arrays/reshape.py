"""New shapes for the same elements in the same order."""

from __future__ import annotations

from math import prod
from typing import Any

from hybridlint.runtime.facts.backward import reversed_by
from hybridlint.runtime.facts.deferred_shapes import waits, when_known
from hybridlint.runtime.facts.dims import Dim, differ, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Axes, InferError, Ints, Shape, TensorType, show_shape
from hybridlint.runtime.ops.arrays.reshape_codes import resolve, resolve_target, resolve_unknown


def _infer_reshape(
    data: TensorType, *, shape: Ints, reverse: bool, target_shape: Ints, keep_highest: bool
) -> TensorType:
    if not shape and not target_shape:
        raise InferError("shape", "expected a shape")
    if data.shape is None:
        return data.with_shape(resolve_unknown(shape) if shape else None)
    if shape:
        return data.with_shape(resolve(shape, data.shape, reverse))
    return data.with_shape(resolve_target(target_shape, data.shape, keep_highest))


def _back(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (F.reshape_like(g, ins[0]), *(None for _ in ins[1:]))


@op(
    name="Reshape",
    aliases=("reshape",),
    infer=_infer_reshape,
    grad=_back,
    facts=Facts(numpy_names=("reshape",)),
    samples=[
        sample((2, 3, 4), shape=(0, -1)),
        sample((2, 3, 4), shape=(-3, 0)),
        sample((2, 3, 4), shape=(-4, 1, 2, -2)),
        sample((2, 3, 4), shape=(0, -4, -1, 1, 0)),
        sample((2, 3, 4), shape=(-1, 0), reverse=True),
        sample((6,), shape=(2, 3)),
        sample((2, 3, 4), target_shape=(0, 6)),
    ],
)
def reshape(
    xp: Any,
    data: Any,
    /,
    *,
    shape: Ints = (),
    reverse: bool = False,
    target_shape: Ints = (),
    keep_highest: bool = False,
) -> Any:
    """Return the elements in a new shape.

    In `shape`, 0 copies a size, -1 is inferred, -2 copies all remaining sizes, -3 merges two sizes into one, and -4
    splits a size into the next two numbers. With `reverse`, the codes are matched from the last dimension on.
    """
    if shape:
        return data.reshape(resolve(shape, data.shape, reverse))
    return data.reshape(resolve_target(target_shape, data.shape, keep_highest))


@waits(when_known)
def _infer_flatten(data: TensorType) -> TensorType:
    if data.shape is None:
        return data.with_shape((Dim.fresh(), Dim.fresh()))
    if not data.shape:
        raise InferError("data", "expected at least one dimension")
    return data.with_shape((data.shape[0], product(data.shape[1:])))


@op(
    name="Flatten",
    aliases=("flatten",),
    infer=_infer_flatten,
    grad=_back,
    samples=[sample((2, 3, 4)), sample((3,))],
    method="flatten",
)
def flatten(xp: Any, data: Any, /) -> Any:
    """Merge all dimensions but the first: (N, ...) becomes (N, K)."""
    return data.reshape(data.shape[0], prod(data.shape[1:]))


def _without_one(result: Shape, /, *, axis: int) -> Shape:
    place = normal_axis(axis, len(result))
    return (*result[:place], *result[place + 1 :])


@reversed_by(_without_one)
def _infer_expand(data: TensorType, *, axis: int) -> TensorType:
    if data.shape is None:
        return data
    place = normal_axis(axis, len(data.shape) + 1)
    return data.with_shape((*data.shape[:place], 1, *data.shape[place:]))


@op(
    infer=_infer_expand,
    grad=_back,
    facts=Facts(numpy_names=("expand_dims",)),
    samples=[sample((2, 3), axis=0), sample((2, 3), axis=-1), sample((2, 3), axis=1)],
    method="expand_dims",
)
def expand_dims(xp: Any, data: Any, /, *, axis: int) -> Any:
    """Insert a dimension of size 1 at `axis`."""
    return xp.expand_dims(data, axis)


def _infer_squeeze(data: TensorType, *, axis: Axes) -> TensorType:
    if data.shape is None:
        return data
    if axis is None:
        if any(isinstance(size, Dim) for size in data.shape):
            return data.with_shape(None)
        return data.with_shape(tuple(size for size in data.shape if size != 1) or (1,))
    axes = {normal_axis(a, len(data.shape)) for a in ((axis,) if isinstance(axis, int) else axis)}
    for a in axes:
        if differ(data.shape[a], 1):
            raise InferError("axis", f"dimension {a} has size {data.shape[a]}, not 1")
    return data.with_shape(tuple(size for k, size in enumerate(data.shape) if k not in axes) or (1,))


@op(
    infer=_infer_squeeze,
    grad=_back,
    facts=Facts(numpy_names=("squeeze",)),
    samples=[sample((1, 3, 1)), sample((1, 3, 1), axis=0), sample((1, 3, 1), axis=(0, -1)), sample((1, 1))],
    method="squeeze",
)
def squeeze(xp: Any, data: Any, /, *, axis: Axes = None) -> Any:
    """Remove all dimensions of size 1, or those in `axis`. At least one dimension remains."""
    result = xp.squeeze(data, axis)
    return result.reshape(1) if result.ndim == 0 else result


def _like_shape(
    lhs: Shape, rhs: Shape, begins: tuple[int | None, int | None], ends: tuple[int | None, int | None]
) -> Shape:
    """Return the shape `lhs` with the dimensions of one range replaced by those of a range of `rhs`.

    `begins` and `ends` hold the bounds of the ranges of `lhs` and of `rhs`; None means the beginning or the end.
    """
    (l_begin, r_begin), (l_end, r_end) = begins, ends
    l_range = slice(*slice(l_begin, l_end).indices(len(lhs))[:2])
    return (*lhs[: l_range.start], *rhs[slice(r_begin, r_end)], *lhs[l_range.stop :])


def _infer_like(
    lhs: TensorType,
    rhs: TensorType,
    *,
    lhs_begin: int | None,
    lhs_end: int | None,
    rhs_begin: int | None,
    rhs_end: int | None,
) -> TensorType:
    whole = lhs_begin is None and lhs_end is None
    if rhs.shape is None or (lhs.shape is None and not whole):
        return lhs.with_shape(None)
    result = _like_shape(lhs.shape or (), rhs.shape, (lhs_begin, rhs_begin), (lhs_end, rhs_end))
    if lhs.shape is not None and differ(product(lhs.shape), product(result)):
        raise InferError("rhs", f"{show_shape(lhs.shape)} cannot be reshaped to {show_shape(result)}")
    return lhs.with_shape(result)


@op(
    infer=_infer_like,
    grad=_back,
    samples=[
        sample((2, 3, 4), (6, 4)),
        sample((2, 3, 4), (3, 1, 2, 5), lhs_begin=0, lhs_end=2, rhs_begin=0, rhs_end=3),
        sample((2, 3, 4), (3, 1, 2, 5), lhs_begin=0, lhs_end=-1, rhs_begin=0, rhs_end=-1),
    ],
    method="reshape_like",
)
def reshape_like(
    xp: Any,
    lhs: Any,
    rhs: Any,
    /,
    *,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
) -> Any:
    """Reshape `lhs` to the shape of `rhs`, or replace a range of its axes by a range of that shape."""
    return lhs.reshape(_like_shape(lhs.shape, rhs.shape, (lhs_begin, rhs_begin), (lhs_end, rhs_end)))


@op(
    infer=lambda data: TensorType((Dim.fresh() if data.shape is None else len(data.shape),), "int64"),
    grad=zero_gradient,
    facts=Facts(numpy_names=("shape",)),
    samples=[sample((2, 3, 4))],
    method="shape_array",
)
def shape_array(xp: Any, data: Any, /) -> Any:
    """Return the shape as a tensor of int64."""
    return xp.asarray(data.shape, dtype="int64")


@op(
    infer=lambda data: TensorType((1,), "int64"),
    grad=zero_gradient,
    facts=Facts(numpy_names=("size",)),
    samples=[sample((2, 3, 4))],
    method="size_array",
)
def size_array(xp: Any, data: Any, /) -> Any:
    """Return the number of elements as a tensor of int64 and shape (1,)."""
    return xp.asarray([data.size], dtype="int64")
