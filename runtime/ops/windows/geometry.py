"""Sliding windows over the spatial axes of (N, C, ...) tensors: sizes, layouts, gathering and scattering."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.type_rules import require_rank

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def with_channels_last(data: Any) -> Any:
    """Return a view (N, ..., C) of data (N, C, ...)."""
    # Numpy's moveaxis, a function of Python, takes ten times as long, which small networks notice.
    return data.transpose(0, *range(2, data.ndim), 1)


def with_channels_first(data: Any) -> Any:
    """Return a view (N, C, ...) of data (N, ..., C)."""
    return data.transpose(0, data.ndim - 1, *range(1, data.ndim - 1))


@dataclass(frozen=True, slots=True)
class Geometry:
    """The geometry of windows: kernel, stride, dilation and padding of each spatial axis, and the channels' place."""

    kernel: Ints
    stride: Ints
    dilate: Ints
    pad: Ints
    channels_last: bool = False

    @property
    def rank(self) -> int:
        """Number of spatial axes."""
        return len(self.kernel)

    @property
    def extent(self) -> Ints:
        """Number of elements that a window spans, for each axis."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilate, strict=True))

    def sizes_of(self, data: TensorType) -> tuple[DimLike, DimLike, Shape]:
        """Return batch size, channels and spatial sizes of a tensor. Raises InferError where its rank differs."""
        require_rank(data, [self.rank + 2])
        if data.shape is None:
            return Dim.fresh(), Dim.fresh(), tuple(Dim.fresh() for _ in self.kernel)
        if self.channels_last:
            return data.shape[0], data.shape[-1], data.shape[1:-1]
        return data.shape[0], data.shape[1], data.shape[2:]

    def count(self, sizes: Shape) -> Shape:
        """Return the number of windows along each axis. Raises InferError where a window exceeds the padded data."""
        rows = zip(sizes, self.extent, self.stride, self.pad, strict=True)
        return tuple(_count(size, extent, stride, pad) for size, extent, stride, pad in rows)

    def count_of(self, sizes: Ints) -> Ints:
        """Return the number of windows along each axis of an array."""
        return tuple(n for n in self.count(sizes) if isinstance(n, int))

    def arrange(self, batch: DimLike, channels: DimLike, sizes: Shape) -> Shape:
        """Put batch size, channels and spatial sizes in the order of the layout."""
        return (batch, *sizes, channels) if self.channels_last else (batch, channels, *sizes)

    def channels_first(self, xp: Any, data: Any) -> Any:
        """View a tensor of this layout with its channels before the spatial axes."""
        return with_channels_first(data) if self.channels_last else data

    def restored(self, xp: Any, data: Any) -> Any:
        """Bring a tensor with channels first back to this layout."""
        return xp.ascontiguousarray(with_channels_last(data)) if self.channels_last else data

    def offsets(self) -> Iterator[tuple[Ints, Ints]]:
        """Iterate over the elements of a window: index in the kernel, and offset in the padded data."""
        for index in itertools.product(*map(range, self.kernel)):
            yield index, tuple(i * d for i, d in zip(index, self.dilate, strict=True))

    def at(self, offset: Ints, counts: Ints) -> tuple[slice, ...]:
        """Return slices of the spatial axes that select one element, at `offset`, of all windows."""
        rows = zip(offset, counts, self.stride, strict=True)
        return tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in rows)


def geometry(kernel: Ints, stride: Ints = (), dilate: Ints = (), pad: Ints = (), layout: str | None = None) -> Geometry:
    """Fill in defaults and check lengths and layout. Raises InferError."""
    rank = len(kernel)
    if rank not in _LAYOUTS:
        raise InferError("kernel", f"expected 1 to 3 spatial dimensions, got {rank}")
    if layout is not None and layout not in _LAYOUTS[rank]:
        raise InferError("layout", f"expected one of {', '.join(_LAYOUTS[rank])}, got {layout}")
    named = {"kernel": (kernel, 1), "stride": (stride, 1), "dilate": (dilate, 1), "pad": (pad, 0)}
    filled = []
    for name, (values, least) in named.items():
        row = values or (least,) * rank
        if len(row) != rank or min(row) < least:
            raise InferError(name, f"expected {rank} numbers of at least {least}, got {values}")
        filled.append(row)
    return Geometry(filled[0], filled[1], filled[2], filled[3], layout is not None and layout[-1] == "C")


def _count(size: DimLike, extent: int, stride: int, pad: int) -> DimLike:
    room = size + (2 * pad - extent)
    if isinstance(room, int) and room < 0:
        raise InferError("kernel", f"the window of {extent} exceeds the input of {size} padded by {pad}")
    return room // stride + 1


def padded(xp: Any, data: Any, pad: Ints, value: float = 0, more: Ints | None = None) -> Any:
    """Pad the spatial axes of (N, C, ...) on both sides, and by `more` at the end."""
    after = tuple(p + m for p, m in zip(pad, more or (0,) * len(pad), strict=True))
    if not any(pad) and not any(after):
        return data
    spatial = tuple(b + n + a for b, n, a in zip(pad, data.shape[2:], after, strict=True))
    result = xp.full((*data.shape[:2], *spatial), value, data.dtype)
    inside = tuple(slice(b, b + n) for b, n in zip(pad, data.shape[2:], strict=True))
    result[(..., *inside)] = data
    return result


def cropped(data: Any, pad: Ints, sizes: Ints) -> Any:
    """Undo `padded`: view the elements of a tensor of the given spatial sizes."""
    return data[(..., *(slice(p, p + n) for p, n in zip(pad, sizes, strict=True)))]


def gather(xp: Any, data: Any, shape: Geometry, counts: Ints) -> Any:
    """View padded data (N, C, ...) as its windows: (N, C, *kernel, *counts)."""
    spatial = data.strides[2:]
    inner = tuple(s * d for s, d in zip(spatial, shape.dilate, strict=True))
    outer = tuple(s * d for s, d in zip(spatial, shape.stride, strict=True))
    return xp.lib.stride_tricks.as_strided(
        data, (*data.shape[:2], *shape.kernel, *counts), (*data.strides[:2], *inner, *outer)
    )


def room_of(xp: Any, windows: Ints, shape: Geometry, sizes: Ints, dtype: Any) -> Any:
    """Return zeros for data of these sizes with their padding, and for all that windows (N, C, *counts) reach."""
    reach = tuple((n - 1) * s + e for n, s, e in zip(windows[2:], shape.stride, shape.extent, strict=True))
    spatial = (max(n + 2 * p, r) for n, p, r in zip(sizes, shape.pad, reach, strict=True))
    return xp.zeros((*windows[:2], *spatial), dtype)


def scatter(xp: Any, windows: Any, shape: Geometry, sizes: Ints) -> Any:
    """Sum windows (N, C, *kernel, *counts) into data (N, C, *sizes): the transpose of padding and `gather`."""
    counts = windows.shape[2 + shape.rank :]
    result = room_of(xp, (*windows.shape[:2], *counts), shape, sizes, windows.dtype)
    for index, offset in shape.offsets():
        result[(..., *shape.at(offset, counts))] += windows[(slice(None), slice(None), *index)]
    return cropped(result, shape.pad, sizes)
