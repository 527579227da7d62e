"""Correlation of patches of one image with nearby patches of another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType, unknown_shape
from hybridlint.runtime.ops.type_rules import one_dtype, require_rank
from hybridlint.runtime.ops.windows.geometry import cropped, padded, with_channels_last


@dataclass(frozen=True, eq=False, slots=True)
class Patches:
    """The positions of patches in padded images, and of the patches of the other image that each is compared with."""

    kernel: int
    reach: int
    step: int
    shift: int
    pad: int

    @property
    def width(self) -> int:
        """Number of patches that each patch is compared with, along one axis."""
        return 2 * (self.reach // self.shift) + 1

    def count(self, size: DimLike) -> DimLike:
        """Return the number of patches along an axis. Raises InferError if none fits."""
        room = size + (2 * self.pad - 2 * (self.reach + self.kernel // 2))
        if isinstance(room, int) and room < 1:
            raise InferError("max_displacement", f"no patch has room in {size} elements padded by {self.pad}")
        return (room + (self.step - 1)) // self.step

    def pairs(self, sizes: Ints) -> Iterator[tuple[int, tuple[slice, ...], tuple[slice, ...]]]:
        """Iterate over the pairs of patch elements to compare.

        Yields the channel of the result, and the slices that select the elements of all patches in the first and second
        image.
        """
        radius = self.reach // self.shift
        counts = [self.count(n) for n in sizes]
        moves = enumerate(itertools.product(range(-radius, radius + 1), repeat=2))
        elements = list(itertools.product(range(self.kernel), repeat=2))
        for (channel, move), inner in itertools.product(moves, elements):
            starts = [self.reach + i for i in inner]
            others = [s + m * self.shift for s, m in zip(starts, move, strict=True)]
            yield channel, self._at(starts, counts), self._at(others, counts)

    def _at(self, starts: list[int], counts: list[DimLike]) -> tuple[slice, ...]:
        rows = zip(starts, counts, strict=True)
        ends = ((s, s + (n - 1) * self.step + 1) for s, n in rows if isinstance(n, int))
        return tuple(slice(s, e, self.step) for s, e in ends)


def _patches(kernel_size: int, max_displacement: int, stride1: int, stride2: int, pad_size: int) -> Patches:
    if kernel_size < 1 or kernel_size % 2 == 0:
        raise InferError("kernel_size", f"expected an odd number, got {kernel_size}")
    for name, value in (("stride1", stride1), ("stride2", stride2)):
        if value < 1:
            raise InferError(name, f"expected at least 1, got {value}")
    return Patches(kernel_size, max_displacement, stride1, stride2, pad_size)


def _infer(
    data1: TensorType,
    data2: TensorType,
    *,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    pad_size: int,
) -> tuple[TensorType, ...]:
    require_rank(data1, [4], "data1")
    require_rank(data2, [4], "data2")
    patches = _patches(kernel_size, max_displacement, stride1, stride2, pad_size)
    dtype = one_dtype(data1, data2, argument="data2")
    batch, channels, *sizes = unify_shapes(data1.shape, data2.shape, "data2") or unknown_shape(4)
    copy = TensorType((batch, *(n + 2 * pad_size for n in sizes), channels), dtype)
    return TensorType((batch, patches.width**2, *map(patches.count, sizes)), dtype), copy, copy


_BY_PATCHES: dict[str, Any] = {"kernel_size": 3, "max_displacement": 2, "stride1": 2, "stride2": 2, "pad_size": 3}


@op(
    name="Correlation",
    infer=_infer,
    outputs=3,
    visible=1,
    grad=lambda F, g, ins, outs, **params: tuple(F._hl_correlation_grad(g, *ins, **params)),
    samples=[
        sample((1, 2, 4, 3), (1, 2, 4, 3), pad_size=1),
        sample((2, 1, 4, 4), (2, 1, 4, 4), **_BY_PATCHES),
        sample((1, 2, 4, 4), (1, 2, 4, 4), is_multiply=False, pad_size=2, max_displacement=2, stride2=2),
    ],
)
def correlation(
    xp: Any,
    data1: Any,
    data2: Any,
    /,
    *,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
) -> tuple[Any, Any, Any]:
    """Return the mean product of patches of two images, or without `is_multiply` their mean absolute difference.

    There is one channel for each position of the second patch, at most `max_displacement` from the first in steps of
    `stride2`. The hidden outputs are the padded images with channels last.
    """
    patches = _patches(kernel_size, max_displacement, stride1, stride2, pad_size)
    first, second = (padded(xp, data, (pad_size, pad_size)) for data in (data1, data2))
    counts = [patches.count(n) for n in data1.shape[2:]]
    result = xp.zeros((len(data1), patches.width**2, *counts), data1.dtype)
    for channel, at, other in patches.pairs(data1.shape[2:]):
        a, b = first[(..., *at)], second[(..., *other)]
        result[:, channel] += (a * b if is_multiply else xp.abs(a - b)).sum(axis=1)
    result /= kernel_size**2 * data1.shape[1]
    return result, *(xp.ascontiguousarray(with_channels_last(data)) for data in (first, second))


@op(
    infer=lambda g, data1, data2: (data1, data2),
    outputs=2,
    samples=[sample((2, 9, 2, 2), (2, 1, 4, 4), (2, 1, 4, 4), is_multiply=True, **_BY_PATCHES)],
)
def _hl_correlation_grad(
    xp: Any,
    g: Any,
    data1: Any,
    data2: Any,
    /,
    *,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    pad_size: int,
    is_multiply: bool,
) -> tuple[Any, Any]:
    """Return the gradients with respect to Correlation's images."""
    patches = _patches(kernel_size, max_displacement, stride1, stride2, pad_size)
    first, second = (padded(xp, data, (pad_size, pad_size)) for data in (data1, data2))
    into = xp.zeros_like(first), xp.zeros_like(second)
    scaled = g / (kernel_size**2 * data1.shape[1])
    for channel, at, other in patches.pairs(data1.shape[2:]):
        a, b = first[(..., *at)], second[(..., *other)]
        head = scaled[:, channel][:, None]
        sign = xp.where(a >= b, 1, -1)
        into[0][(..., *at)] += head * (b if is_multiply else sign)
        into[1][(..., *other)] += head * (a if is_multiply else -sign)
    margin, sizes = (pad_size, pad_size), data1.shape[2:]
    return cropped(into[0], margin, sizes).copy(), cropped(into[1], margin, sizes).copy()
