"""Operators that repeat elements: tiling, repetition, padding."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.deferred_shapes import waits, when_known
from hybridlint.runtime.facts.dims import Dim, DimLike, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.arrays.creation import checked_shape
from hybridlint.runtime.ops.type_rules import require_rank
from hybridlint.runtime.util import is_np_shape


@waits(when_known)
def _infer_tile(data: TensorType, *, reps: Ints) -> TensorType:
    if any(r < 0 for r in reps):
        raise InferError("reps", f"expected no negative numbers, got {reps}")
    if data.shape is None:
        return data
    sizes, times = _aligned(data.shape, reps)
    result = tuple(n * r for n, r in zip(sizes, times, strict=True))
    return data.with_shape(result if is_np_shape() else tuple(Dim.fresh() if n == 0 else n for n in result))


def _aligned(shape: Shape, reps: Ints) -> tuple[Shape, Ints]:
    """Return `shape` and `reps` with the same length: the shorter one gets ones in front."""
    rank = max(len(shape), len(reps))
    return (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(reps)) + reps


@op(
    infer=_infer_tile,
    grad=lambda F, g, ins, outs, *, reps: (F._hl_tile_grad(g, ins[0], reps=reps),),
    facts=Facts(numpy_names=("tile",)),
    samples=[sample((2, 3), reps=(2, 1, 3)), sample((2, 3, 2), reps=(2,)), sample((2,), reps=())],
    method="tile",
)
def tile(xp: Any, data: Any, /, *, reps: Ints) -> Any:
    """Repeat the whole tensor `reps[k]` times along each axis k."""
    if 0 in reps:
        checked_shape(reps)
    return xp.tile(data, reps)


@op(infer=lambda g, data: data, samples=[sample((2, 2, 9), (2, 3), reps=(2, 1, 3))])
def _hl_tile_grad(xp: Any, g: Any, data: Any, /, *, reps: Ints) -> Any:
    """Return the gradient with respect to tile's data: `g` summed over the repetitions."""
    sizes, times = _aligned(data.shape, reps)
    split = g.reshape(tuple(n for pair in zip(times, sizes, strict=True) for n in pair))
    return split.sum(axis=tuple(range(0, 2 * len(sizes), 2))).reshape(data.shape)


def _infer_repeat(data: TensorType, *, repeats: int, axis: int | None) -> TensorType:
    if repeats < 0:
        raise InferError("repeats", f"repeats cannot be a negative number, got {repeats}")
    if repeats == 0:
        return data.with_shape((0,))
    if axis is None:
        total: DimLike = Dim.fresh() if data.shape is None else product(data.shape) * repeats
        return data.with_shape((total,))
    if data.shape is None:
        return data
    axis = normal_axis(axis, len(data.shape))
    return data.with_shape((*data.shape[:axis], data.shape[axis] * repeats, *data.shape[axis + 1 :]))


@op(
    infer=_infer_repeat,
    grad=lambda F, g, ins, outs, *, repeats, axis: (F._hl_repeat_grad(g, ins[0], repeats=repeats, axis=axis),),
    facts=Facts(numpy_names=("repeat",)),
    samples=[sample((2, 3), repeats=2), sample((2, 3), repeats=3, axis=0), sample((2, 3), repeats=2, axis=-1)],
    method="repeat",
)
def repeat(xp: Any, data: Any, /, *, repeats: int, axis: int | None = None) -> Any:
    """Repeat each element `repeats` times along an axis, or in the flattened tensor if no axis is given.

    With 0 repeats the result has the shape (0,), whatever the axis.
    """
    if not repeats:
        return xp.zeros((0,), data.dtype)
    return xp.repeat(data, repeats, axis)


@op(infer=lambda g, data: data, samples=[sample((2, 6), (2, 3), repeats=2, axis=1)])
def _hl_repeat_grad(xp: Any, g: Any, data: Any, /, *, repeats: int, axis: int | None) -> Any:
    """Return the gradient with respect to repeat's data: `g` summed over the repetitions."""
    if not repeats:
        return xp.zeros_like(data)
    place = data.ndim - 1 if axis is None else axis % data.ndim
    split = g.reshape(*data.shape[: place + 1], repeats, *data.shape[place + 1 :])
    return split.sum(axis=place + 1)


def _pairs(pad_width: Ints) -> list[tuple[int, int]]:
    return list(zip(pad_width[::2], pad_width[1::2], strict=True))


def _infer_pad(data: TensorType, *, mode: str, pad_width: Ints) -> TensorType:
    if mode not in {"constant", "edge", "reflect"}:
        raise InferError("mode", f"expected 'constant', 'edge' or 'reflect', got {mode!r}")
    require_rank(data, [4, 5])
    if len(pad_width) not in {8, 10} or any(pad_width[:4]) or min(pad_width) < 0:
        raise InferError("pad_width", f"expected 8 or 10 numbers, of which the first 4 are 0, got {pad_width}")
    if data.shape is None:
        return data.with_shape(tuple(Dim.fresh() for _ in pad_width[::2]))
    if len(pad_width) != 2 * len(data.shape):
        raise InferError("pad_width", f"expected {2 * len(data.shape)} numbers, got {len(pad_width)}")
    for n, pair in zip(data.shape, _pairs(pad_width), strict=True):
        if mode == "reflect" and isinstance(n, int) and max(pair) >= n:
            raise InferError("pad_width", f"reflecting {max(pair)} of {n} elements")
    return data.with_shape(tuple(n + (b + a) for n, (b, a) in zip(data.shape, _pairs(pad_width), strict=True)))


@op(
    name="Pad",
    aliases=("pad",),
    infer=_infer_pad,
    grad=lambda F, g, ins, outs, *, mode, pad_width: (F._hl_pad_grad(g, ins[0], mode=mode, pad_width=pad_width),),
    facts=Facts(numpy_names=("pad",)),
    samples=[
        sample((1, 2, 3, 3), mode=mode, pad_width=(0, 0, 0, 0, 1, 1, 2, 1)) for mode in ("constant", "edge", "reflect")
    ]
    + [sample((1, 1, 2, 2, 3), mode="reflect", pad_width=(0, 0, 0, 0, 1, 0, 1, 1, 2, 2))],
    method="pad",
)
def pad(
    xp: Any, data: Any, /, *, mode: Literal["constant", "edge", "reflect"], pad_width: Ints, constant_value: float = 0.0
) -> Any:
    """Pad the axes after the first two of a tensor of rank 4 or 5.

    `pad_width` holds the number of elements before and after each axis in turn.
    """
    if mode == "constant":
        return xp.pad(data, _pairs(pad_width), mode, constant_values=constant_value)
    return xp.pad(data, _pairs(pad_width), mode)


@op(
    infer=lambda g, data: data,
    samples=[sample((1, 1, 4, 4), (1, 1, 2, 3), mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 1, 0))],
)
def _hl_pad_grad(xp: Any, g: Any, data: Any, /, *, mode: str, pad_width: Ints) -> Any:
    """Return the gradient with respect to Pad's data: `g` summed over the copies of each element."""
    into = g
    for axis, (before, after) in enumerate(_pairs(pad_width)):
        if before or after:
            into = _gathered(xp, into, axis, data.shape[axis], (before, after), mode)
    return into


def _gathered(xp: Any, g: Any, axis: int, size: int, widths: tuple[int, int], mode: str) -> Any:
    """Return the gradient of padding one axis by `widths` (before, after), for data of this size along it."""
    lines = xp.moveaxis(g, axis, 0)
    if mode == "constant":
        return xp.moveaxis(lines[widths[0] : widths[0] + size], 0, axis)
    into = xp.zeros((size, *lines.shape[1:]), g.dtype)
    xp.add.at(into, xp.pad(xp.arange(size), widths, mode), lines)
    return xp.moveaxis(into, 0, axis)
