"""Native code that copies right operands of matrix products into panels, whose columns lie together row by row."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridlint.runtime.compiled.engines.jit.kernels import Pack
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.transposition import offset_of, transpose_square
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter
from hybridlint.runtime.compiled.lowering.kernels import Access


def write_pack(writer: IRWriter, kernel: Pack) -> None:
    """Write the copying of a right operand into panels."""
    _Packing(writer, kernel).write()


def at_indices(writer: IRWriter, access: Access, indices: Sequence[Any]) -> Any:
    """Return the address for the first indices; those that follow are 0."""
    return writer.address(Access(access.buffer, access.start, access.steps[: len(indices)]), indices)


class _Packing:
    def __init__(self, writer: IRWriter, kernel: Pack) -> None:
        self.w, self.k = writer, kernel
        self.inner, self.columns = kernel.sizes[kernel.batches : -1], kernel.sizes[-1]
        self.steps, self.step = kernel.source.steps[kernel.batches : -1], kernel.source.steps[-1]
        #: So many rows of a panel lie between the elements of each inner axis.
        self.rows = [prod(self.inner[k + 1 :]) for k in range(len(self.inner))]
        self.together = [] if self.step == 1 else self._axes_together()

    def write(self) -> None:
        """Write the loops over batches and panels."""
        full, rest = divmod(self.columns, self.k.width)
        batches = self.k.sizes[: self.k.batches]
        shared = shared_axis([*batches, full])

        def panels(batch: list[Any]) -> None:
            source = at_indices(self.w, self.k.source, batch)
            target = at_indices(self.w, self.k.target, batch)
            if full:
                with self.w.loop(full, shared=shared == len(batches)) as panel:
                    self._panel(source, target, panel, self.k.width)
            if rest:
                with self.w.once(shared == len(batches)):
                    self._panel(source, target, self.w.const(full), rest)

        with self.w.once(shared is None):
            self.w.nest(batches, panels, shared)

    def _axes_together(self) -> list[int]:
        """Return the inner axes whose elements lie together, smallest step first; none if these fill no vector."""
        found: list[int] = []
        length = 1
        for axis in sorted(range(len(self.inner)), key=lambda axis: abs(self.steps[axis])):
            if self.inner[axis] > 1 and self.steps[axis] == length:
                found.append(axis)
                length *= self.inner[axis]
        return found if length >= self.w.lanes.count else []

    def _panel(self, source: Any, target: Any, panel: Any, count: int) -> None:
        b, width = self.w.b, self.k.width
        begin = self.w.moved(source, b.mul(panel, self.w.const(width * self.step)))
        place = self.w.moved(target, b.mul(panel, self.w.const(width * prod(self.inner))))
        outer = [1 if axis in self.together else size for axis, size in enumerate(self.inner)]

        def line(indices: list[Any]) -> None:
            at, out = begin, place
            for index, step, row in zip(indices, self.steps, self.rows, strict=True):
                if index is not None:
                    at = self.w.moved(at, b.mul(index, self.w.const(step)))
                    out = self.w.moved(out, b.mul(index, self.w.const(row * width)))
            if self.together:
                length = prod(self.inner[axis] for axis in self.together)
                self.w.parts(length, lambda first, have: self._turned(at, out, first, have, count))
            else:
                self._row(at, out, count)

        self.w.nest(outer, line)

    def _row(self, at: Any, out: Any, count: int) -> None:
        """Copy one row of a panel."""
        w, lanes = self.w, self.w.lanes.count
        for first in range(0, self.k.width, lanes):
            have = max(0, min(lanes, count - first))
            vector = w.load(w.moved(at, first * self.step), self.step, have) if have else w.lanes.const(0.0)
            w.store(vector, w.moved(out, first), 1, lanes)

    def _turned(self, at: Any, out: Any, first: Any, have: int, count: int) -> None:
        """Copy rows of a panel whose elements lie together in each column, by transposing squares."""
        w, lanes = self.w, self.w.lanes.count
        begin = w.moved(at, first)
        beyond = [(self.inner[axis], self.rows[axis] * self.k.width) for axis in self.together]
        places = [w.moved(out, offset_of(w, w.b.add(first, w.const(row)), beyond)) for row in range(have)]
        for column in range(0, self.k.width, lanes):
            listed = range(column, column + lanes)
            rows = [w.load(w.moved(begin, c * self.step), 1, have) if c < count else w.lanes.const(0.0) for c in listed]
            for vector, place in zip(transpose_square(w, rows)[:have], places, strict=True):
                w.store(vector, w.moved(place, column), 1, lanes)
