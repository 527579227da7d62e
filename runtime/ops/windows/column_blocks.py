"""The windows of data as columns of matrices, for some samples and channels at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from hybridlint.runtime.facts.types import Ints
from hybridlint.runtime.ops.windows.geometry import Geometry


class WindowColumns:
    """Columns of the windows of data (N, C, ...), which are not padded yet.

    `shape.pad` is the padding before the data, and what `counts` windows reach behind them is zero. Windows that move
    by single elements are copied by whole lines with their padding, since numpy's copies of short lines take several
    times as long: `places` has the windows along each axis, among them those at the ends of lines, which mean nothing.
    """

    def __init__(self, xp: Any, data: Any, shape: Geometry, groups: int, counts: Ints, at_once: int) -> None:
        self._xp, self._data, self._shape, self._groups, self._counts = xp, data, shape, groups, counts
        sizes = data.shape[2:]
        self._dense = set(shape.stride) == {1}
        self._copied = math.prod(shape.kernel) > 1 or any(shape.pad) or not self._dense or counts != tuple(sizes)
        rows = zip(counts, shape.stride, shape.extent, shape.pad, sizes, strict=True)
        self._room = tuple(max((count - 1) * step + extent, pad + size) for count, step, extent, pad, size in rows)
        wide = self._dense and self._copied and shape.rank > 1
        self.places: Ints = (*counts[:-1], self._room[-1]) if wide else tuple(counts)
        self.height = data.shape[1] // groups * math.prod(shape.kernel)
        each = max(self.height * math.prod(self.places), 1)
        self._deep = min(max(at_once // each, 1), groups)
        self._wide = min(max(at_once // (each * groups), 1), max(len(data), 1))

    def blocks(self) -> Iterator[tuple[slice, slice, Any]]:
        """Yield slices of samples and of groups with their columns (samples, groups, elements of a window, places).

        Columns of several groups have a limited number of elements. They hold until the next ones are asked for.
        """
        data, each = self._data, self._data.shape[1] // self._groups
        inside, windows = self._padded_windows(self._wide * self._deep * each if self._copied else 0)
        columns = self._xp.empty(windows.shape, data.dtype)
        for sample in range(0, len(data), self._wide):
            samples = slice(sample, min(sample + self._wide, len(data)))
            for group in range(0, self._groups, self._deep):
                groups = slice(group, min(group + self._deep, self._groups))
                part = data[samples, groups.start * each : groups.stop * each]
                if self._copied:
                    planes = part.shape[0] * part.shape[1]
                    inside[:planes] = part.reshape(planes, *part.shape[2:])
                    part, source = columns[:planes], windows[:planes]
                    self._xp.copyto(part, source)
                yield samples, groups, part.reshape(samples.stop - sample, groups.stop - group, self.height, -1)

    def _padded_windows(self, planes: int) -> tuple[Any, Any]:
        """Return memory for some planes of data between zeros, and its view as windows (planes, *kernel, *counts)."""
        xp, shape, room = self._xp, self._shape, self._room
        memory = xp.zeros((planes, math.prod(room) + shape.extent[-1] - 1), self._data.dtype)
        framed = memory[:, : math.prod(room)].reshape(planes, *room)
        inside = framed[(..., *(slice(p, p + n) for p, n in zip(shape.pad, self._data.shape[2:], strict=True)))]
        inner = tuple(s * d for s, d in zip(framed.strides[1:], shape.dilate, strict=True))
        outer = tuple(s * d for s, d in zip(framed.strides[1:], shape.stride, strict=True))
        counts = self.places
        if self._dense and shape.rank > 1:
            outer, counts = (*outer[:-2], outer[-1]), (*counts[:-2], counts[-2] * counts[-1])
        sizes, strides = (planes, *shape.kernel, *counts), (framed.strides[0], *inner, *outer)
        return inside, xp.lib.stride_tricks.as_strided(framed, sizes, strides)

    def widened(self, heads: Any) -> Any:
        """Return numbers of the windows (..., *counts) as numbers of the places: 0 for those that mean nothing."""
        if self.places == tuple(heads.shape[-self._shape.rank :]):
            return heads
        result = self._xp.zeros((*heads.shape[: -self._shape.rank], *self.places), heads.dtype)
        result[..., : heads.shape[-1]] = heads
        return result
