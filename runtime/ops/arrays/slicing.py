"""Slices and crops of tensors, whose bounds are constants."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.deferred_shapes import waits
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import Bounds, InferError, Ints, Shape, TensorType, show_shape, unknown_shape
from hybridlint.runtime.ops.storage.structure import SLICE
from hybridlint.runtime.ops.type_rules import require_rank


def _subscript(begin: Bounds, end: Bounds, step: Bounds) -> tuple[slice, ...]:
    if len(begin) != len(end) or (step and len(step) != len(begin)):
        raise InferError("begin", "begin, end and step must have one length")
    if 0 in step:
        raise InferError("step", "a step of 0")
    return tuple(slice(*row) for row in zip(begin, end, step or (None,) * len(begin), strict=True))


def _length(size: DimLike, part: slice) -> DimLike:
    """Return the number of elements of a slice; a new unknown size if clipping depends on an unknown size."""
    if isinstance(size, int):
        return len(range(*part.indices(size)))
    start, stop = part.start or 0, part.stop
    if part.step not in {None, 1}:
        return size if part.step == -1 and part.start is None and stop is None else Dim.fresh()
    if start >= 0 and (stop is None or stop < 0):
        return size + ((stop or 0) - start)
    return 1 if (start, stop) in {(0, 1), (-1, None)} else Dim.fresh()


def _sliced(shape: Shape, parts: tuple[slice, ...]) -> Shape:
    if len(parts) > len(shape):
        raise InferError("begin", f"{len(parts)} bounds for {len(shape)} dimensions")
    return (*map(_length, shape, parts), *shape[len(parts) :])


def _told_slice(result: Shape, ins: tuple[Shape | None], /, *, begin: Bounds) -> Shape:
    """Return the result's shape with the sizes open that are cut from unknown ones."""
    before = ins[0] or result
    rows = enumerate(zip(before, result, strict=True))
    return tuple(Dim.fresh() if k < len(begin) and isinstance(old, Dim) else new for k, (old, new) in rows)


@waits(_told_slice)
def _infer_slice(data: TensorType, *, begin: Bounds, end: Bounds, step: Bounds) -> TensorType:
    parts = _subscript(begin, end, step)
    return data.with_shape(None if data.shape is None else _sliced(data.shape, parts))


_BOUNDS = [
    sample((3, 4), begin=(1,), end=(3,)),
    sample((3, 4), begin=(0, 1), end=(None, 9)),
    sample((3, 4, 5), begin=(None, 3, -1), end=(None, 0, None), step=(1, -2, -2)),
    sample((3, 4), begin=(0, -3), end=(2, -1)),
]


@op(
    name="slice",
    aliases=("_sparse_slice", "crop"),
    storage=SLICE,
    infer=_infer_slice,
    grad=lambda F, g, ins, outs, **params: (F._hl_slice_grad(g, ins[0], **params),),
    samples=_BOUNDS,
    method="slice",
)
def slice_(xp: Any, data: Any, /, *, begin: Bounds, end: Bounds, step: Bounds = ()) -> Any:
    """Return ``data[begin:end:step, ...]`` for the leading axes; as in Python, bounds beyond the data are clipped."""
    return data[_subscript(begin, end, step)]


@op(
    infer=lambda g, data: data,
    grad=lambda F, gg, ins, outs, **params: (F.slice(gg, **params), None),
    samples=[sample((2, 4), (3, 4), begin=(1,), end=(3,), step=())],
)
def _hl_slice_grad(xp: Any, g: Any, data: Any, /, *, begin: Bounds, end: Bounds, step: Bounds) -> Any:
    """Return the gradient with respect to slice's data: `g` at the slice, 0 elsewhere."""
    into = xp.zeros_like(data)
    into[_subscript(begin, end, step)] = g
    return into


def _infer_assign(lhs: TensorType, rhs: TensorType, *, begin: Bounds, end: Bounds, step: Bounds) -> TensorType:
    part = _infer_slice(lhs, begin=begin, end=end, step=step)
    if part.provably_differs(rhs):
        raise InferError("rhs", f"expected shape {part}, got {rhs}")
    return lhs


@op(
    aliases=("_crop_assign",),
    infer=_infer_assign,
    grad=None,
    samples=[sample((3, 4), (2, 4), begin=(1,), end=(3,))],
)
def _slice_assign(xp: Any, lhs: Any, rhs: Any, /, *, begin: Bounds, end: Bounds, step: Bounds = ()) -> Any:
    """Return a copy of `lhs` with `rhs` written to the slice."""
    result = lhs.copy()
    result[_subscript(begin, end, step)] = rhs
    return result


@op(
    aliases=("_crop_assign_scalar",),
    infer=lambda data, **params: data,
    grad=None,
    samples=[sample((3, 4), scalar=1.5, begin=(1,), end=(3,))],
)
def _slice_assign_scalar(
    xp: Any, data: Any, /, *, scalar: float = 0.0, begin: Bounds, end: Bounds, step: Bounds = ()
) -> Any:
    """Return a copy of the data with `scalar` written to the slice."""
    result = data.copy()
    result[_subscript(begin, end, step)] = scalar
    return result


def _axis_length(size: DimLike, begin: int, end: int | None) -> DimLike:
    """Return the number of elements from `begin` to `end` along an axis of this size.

    Raises InferError for an empty slice and for bounds outside the axis.
    """
    if isinstance(size, int):
        first = begin + size if begin < 0 else begin
        last = size if end is None else end + size if end < 0 else end
        if first < 0 or last > size or first >= last:
            raise InferError("begin", f"nothing from {begin} to {end} of {size} elements")
        return last - first
    if end is None or (end < 0) != (begin < 0):
        return (size + ((end or 0) - begin)) if begin >= 0 else (-begin if end is None else end - (size + begin))
    if begin >= end:
        raise InferError("begin", f"nothing from {begin} to {end}")
    return end - begin


def _told_slice_axis(result: Shape, ins: tuple[Shape | None], /, *, axis: int) -> Shape:
    """Return the result's shape with the size along the axis open while that of the data is."""
    (data,) = ins
    axis = normal_axis(axis, len(result))
    known = data is None or isinstance(data[axis], int)
    return result if known else (*result[:axis], Dim.fresh(), *result[axis + 1 :])


@waits(_told_slice_axis)
def _infer_slice_axis(data: TensorType, *, axis: int, begin: int, end: int | None) -> TensorType:
    if data.shape is None:
        return data
    axis = normal_axis(axis, len(data.shape))
    length = _axis_length(data.shape[axis], begin, end)
    return data.with_shape((*data.shape[:axis], length, *data.shape[axis + 1 :]))


def _along(axis: int, rank: int, begin: int, end: int | None) -> tuple[slice, ...]:
    return (*(slice(None),) * (axis % rank), slice(begin, end))


@op(
    infer=_infer_slice_axis,
    grad=lambda F, g, ins, outs, **params: (F._hl_slice_axis_grad(g, ins[0], **params),),
    samples=[
        sample((3, 4), axis=0, begin=1, end=3),
        sample((3, 4), axis=-1, begin=-3, end=None),
        sample((3, 4), axis=1, begin=0, end=-1),
    ],
    method="slice_axis",
)
def slice_axis(xp: Any, data: Any, /, *, axis: int, begin: int, end: int | None) -> Any:
    """Return the elements from `begin` to `end` along an axis; the bounds must lie within the data."""
    return data[_along(axis, data.ndim, begin, end)]


@op(
    infer=lambda g, data: data,
    grad=lambda F, gg, ins, outs, **params: (F.slice_axis(gg, **params), None),
    samples=[sample((2, 4), (3, 4), axis=0, begin=1, end=3)],
)
def _hl_slice_axis_grad(xp: Any, g: Any, data: Any, /, *, axis: int, begin: int, end: int | None) -> Any:
    """Return the gradient with respect to slice_axis's data: `g` at the slice, 0 elsewhere."""
    into = xp.zeros_like(data)
    into[_along(axis, data.ndim, begin, end)] = g
    return into


def _like_axes(axes: Ints, rank: int) -> Ints:
    return tuple(normal_axis(a, rank, "axes") for a in axes) or tuple(range(rank))


def _infer_slice_like(data: TensorType, shape_like: TensorType, *, axes: Ints) -> TensorType:
    if data.shape is None:
        return data
    if shape_like.shape is None:
        cut = set(_like_axes(axes, len(data.shape)))
        return data.with_shape(tuple(Dim.fresh() if k in cut else n for k, n in enumerate(data.shape)))
    if not axes and len(shape_like.shape) != len(data.shape):
        raise InferError("shape_like", f"expected {len(data.shape)} dimensions, got {len(shape_like.shape)}")
    result = list(data.shape)
    for a in axes or range(len(result)):
        size = shape_like.shape[normal_axis(a, len(shape_like.shape), "axes")]
        place = normal_axis(a, len(result), "axes")
        if isinstance(size, int) and isinstance(result[place], int) and size > result[place]:  # type: ignore[operator]
            raise InferError("shape_like", f"axis {a}: size {size} exceeds {result[place]}")
        result[place] = size
    return data.with_shape(tuple(result))


def _like_subscript(data: Any, shape_like: Any, axes: Ints) -> tuple[slice, ...]:
    parts = [slice(None)] * data.ndim
    for a in axes or range(data.ndim):
        parts[a] = slice(0, shape_like.shape[a])
    return tuple(parts)


@op(
    infer=_infer_slice_like,
    grad=lambda F, g, ins, outs, *, axes: (F._hl_slice_like_grad(g, ins[0], ins[1], axes=axes), None),
    samples=[
        sample((3, 4), (2, 3)),
        sample((3, 4, 2), (2, 3), axes=(0, 1)),
        sample((3, 4), (5, 2, 2), axes=(-1,)),
    ],
    method="slice_like",
)
def slice_like(xp: Any, data: Any, shape_like: Any, /, *, axes: Ints = ()) -> Any:
    """Cut the data to the sizes of another tensor, along all axes or along those in `axes`."""
    return data[_like_subscript(data, shape_like, axes)]


@op(
    infer=lambda g, data, shape_like: data,
    grad=lambda F, gg, ins, outs, *, axes: (F.slice_like(gg, ins[2], axes=axes), None, None),
    samples=[sample((2, 3), (3, 4), (2, 3), axes=())],
)
def _hl_slice_like_grad(xp: Any, g: Any, data: Any, shape_like: Any, /, *, axes: Ints) -> Any:
    """Return the gradient with respect to slice_like's data: `g` at the beginning of each axis, 0 elsewhere."""
    into = xp.zeros_like(data)
    into[_like_subscript(data, shape_like, axes)] = g
    return into


def _crop_box(sizes: Shape, wanted: Shape, offset: Ints, center: bool) -> tuple[DimLike, ...]:
    """Return the (row, column) at which a crop of size `wanted` begins. Raises InferError if it does not fit."""
    if center:
        return tuple((n - w) // 2 for n, w in zip(sizes, wanted, strict=True))
    for n, w, o in zip(sizes, wanted, offset, strict=True):
        if isinstance(n, int) and isinstance(w, int) and o + w > n:
            raise InferError("offset", f"{show_shape(wanted)} at {offset} exceeds {show_shape(sizes)}")
    return offset


def _crop_wanted(shapes: list[Shape | None], h_w: Ints) -> Shape:
    if len(shapes) == 1:
        return h_w
    return unknown_shape(2) if shapes[1] is None else shapes[1][2:]


def _infer_crop(*data: TensorType, offset: Ints, h_w: Ints, center_crop: bool) -> TensorType:
    for t in data:
        require_rank(t, [4])
    wanted = _crop_wanted([t.shape for t in data], h_w)
    batch, channels, *sizes = data[0].shape or unknown_shape(4)
    if any(isinstance(n, int) and isinstance(w, int) and w > n for n, w in zip(sizes, wanted, strict=True)):
        raise InferError("h_w", f"{show_shape(wanted)} exceeds {show_shape(tuple(sizes))}")
    _crop_box(tuple(sizes), wanted, offset, center_crop)
    return data[0].with_shape((batch, channels, *wanted))


def _crop_subscript(data: tuple[Any, ...], offset: Ints, h_w: Ints, center: bool) -> tuple[Any, ...]:
    wanted = _crop_wanted([t.shape for t in data], h_w)
    starts = _crop_box(data[0].shape[2:], wanted, offset, center)
    return (..., *(slice(s, s + w) for s, w in zip(starts, wanted, strict=True)))


@op(
    name="Crop",
    infer=_infer_crop,
    grad=lambda F, g, ins, outs, **params: (
        F._hl_crop_grad(g, *ins, **params),
        *(None for _ in ins[1:]),
    ),
    samples=[
        sample((1, 2, 4, 4), offset=(1, 0), h_w=(2, 3)),
        sample((1, 2, 5, 4), (1, 1, 2, 2), center_crop=True),
    ],
)
def crop(xp: Any, /, *data: Any, offset: Ints = (0, 0), h_w: Ints = (0, 0), center_crop: bool = False) -> Any:
    """Crop (N, C, H, W) to the size `h_w`, or to the height and width of a second tensor."""
    return data[0][_crop_subscript(data, offset, h_w, center_crop)]


@op(infer=lambda *tensors: tensors[1], samples=[sample((1, 1, 2, 2), (1, 1, 3, 3), offset=(1, 1), h_w=(2, 2))])
def _hl_crop_grad(
    xp: Any, /, *tensors: Any, offset: Ints = (0, 0), h_w: Ints = (0, 0), center_crop: bool = False
) -> Any:
    """Return the gradient with respect to Crop's data: the first tensor, `g`, at the crop, 0 elsewhere.

    The other tensors are Crop's inputs.
    """
    into = xp.zeros_like(tensors[1])
    into[_crop_subscript(tensors[1:], offset, h_w, center_crop)] = tensors[0]
    return into
