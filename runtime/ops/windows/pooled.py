"""Pooling in planned memory, one axis after another: of windows that overlap, what is common is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import Ints, TensorType
from hybridlint.runtime.ops.windows.geometry import Geometry, with_channels_first


@record(frozen=True, slots=True)
class Pooled:
    """The sizes of a pooling of (N, C, *sizes), by the function of two arrays that combines elements.

    `start` is what nothing gives.
    """

    function: str
    start: float
    shape: Geometry
    batch: int
    channels: int
    sizes: Ints
    counts: Ints
    dtype: str | None

    def between(self) -> list[Ints]:
        """Return the spatial sizes after each axis but the last."""
        return [(*self.counts[: k + 1], *self.sizes[k + 1 :]) for k in range(len(self.sizes) - 1)]


def recipe(pooled: Pooled, divisors: Any) -> BufferRecipe:
    """Return how to pool. `divisors`, unless None, is asked with the array module for what results are divided by."""
    p, rank = pooled, len(pooled.sizes)
    rooms = p.between()

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        data = ins[0]
        for axis in range(rank):
            into = outs[0] if axis == rank - 1 else _like(xp, scratch[axis], data, rooms[axis])
            _along(xp, p, axis, data, into)
            data = into
        if divisors is not None:
            xp.divide(data, kept[0], out=data)

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        xp.copyto(kept[0], divisors(xp))

    scratch = tuple(TensorType((p.batch * p.channels * prod(sizes),), p.dtype) for sizes in rooms)
    if divisors is None:
        return BufferRecipe(run, scratch=scratch, follows=True)
    return BufferRecipe(run, scratch=scratch, kept=(TensorType(p.counts, p.dtype),), prepare=prepare, follows=True)


def by_axes(xp: Any, pooled: Pooled, data: Any) -> Any:
    """Return the data combined over each window, not divided yet."""
    for axis in range(len(pooled.sizes)):
        sizes = (*pooled.counts[: axis + 1], *pooled.sizes[axis + 1 :])
        into = xp.empty((*data.shape[:2], *sizes), data.dtype)
        _along(xp, pooled, axis, data, into)
        data = into
    return data


def _like(xp: Any, room: Any, data: Any, sizes: Ints) -> Any:
    """Return memory as an array (N, C, *sizes) in the order of `data`: channels last or first."""
    batch, channels = data.shape[:2]
    if data.strides[1] == data.itemsize and channels > 1:
        return with_channels_first(room.reshape(batch, *sizes, channels))
    return room.reshape(batch, channels, *sizes)


def _along(xp: Any, p: Pooled, axis: int, data: Any, out: Any) -> None:
    """Combine the elements of windows along one spatial axis."""
    function, count = getattr(xp, p.function), p.counts[axis]
    kernel, stride, pad = p.shape.kernel[axis], p.shape.stride[axis], p.shape.pad[axis]
    before = (slice(None),) * (2 + axis)

    def part(offset: int, first: int, end: int) -> Any:
        """Return the elements at an offset of the windows from the first to the end."""
        begin = first * stride - pad + offset
        return data[(*before, slice(begin, begin + (end - first - 1) * stride + 1, stride))]

    reaches = {}
    for offset in range(kernel):
        first = max(-(-(pad - offset) // stride), 0)
        end = min((p.sizes[axis] - 1 + pad - offset) // stride + 1, count)
        if first < end:
            reaches[offset] = first, end
    whole = [offset for offset, reach in reaches.items() if reach == (0, count)]
    if len(whole) > 1:
        function(part(whole[0], 0, count), part(whole[1], 0, count), out=out)
    elif whole:
        xp.copyto(out, part(whole[0], 0, count))
    else:
        out.fill(p.start)
    for offset, (first, end) in reaches.items():
        if offset not in whole[:2]:
            place = out[(*before, slice(first, end))]
            function(place, part(offset, first, end), out=place)
