"""Native code of matrix products with few columns: vectors lie along rows, and columns are single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluated
from hybridlint.runtime.compiled.engines.jit.kernels import Multiply
from hybridlint.runtime.compiled.engines.jit.packing import at_indices
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.target import Target
from hybridlint.runtime.compiled.engines.jit.writer import Writer

#: Longer sums are added up in blocks, which only products over panels do.
_LONGEST_SUM = 256
#: Vectors along rows hold so many times the numbers that those along columns hold, at least.
_GAIN = 1.25


def narrow_tile(target: Target, rows: int, columns: int, inner: Sequence[int]) -> tuple[int, int] | None:
    """Return how many columns and vectors of rows are computed at once; None if vectors lie along columns."""
    most, wide = target.tile
    if columns > most or prod(inner) > _LONGEST_SUM or _filled(rows, target) < _GAIN * _filled(columns, target):
        return None
    return columns, min(most * wide // columns, -(-rows // target.lanes))


def _filled(size: int, target: Target) -> float:
    """Return which part of the vectors along an axis holds numbers."""
    return size / (-(-size // target.lanes) * target.lanes)


def write_narrow(writer: Writer, kernel: Multiply) -> None:
    """Write matrix products, batch by batch."""
    batches = kernel.sizes[:-2]
    shared = shared_axis(batches)
    with writer.once(shared is None):
        writer.nest(batches, _Batch(writer, kernel).write, shared)


class _Batch:
    def __init__(self, writer: Writer, kernel: Multiply) -> None:
        self.w, self.k = writer, kernel
        *_, self.rows, self.columns = kernel.sizes
        self.lanes = writer.lanes

    def write(self, batch: list[Any]) -> None:
        """Write the loop over tiles, each of so many vectors along rows, and what is left over."""
        w, lanes = self.w, self.lanes.count
        step = self.k.tile[1] * lanes
        whole = self.rows // step * step
        if whole:
            with w.loop(whole, step) as row:
                self._tile(batch, row, [lanes] * self.k.tile[1])
        if self.rows > whole:
            rest = [min(lanes, self.rows - at) for at in range(whole, self.rows, lanes)]
            self._tile(batch, w.const(whole), rest)

    def _tile(self, batch: list[Any], row: Any, counts: Sequence[int]) -> None:
        """Write one tile, whose vectors hold so many numbers each."""
        k = self.k
        left, right = at_indices(self.w, k.left, [*batch, row]), at_indices(self.w, k.panels, batch)
        sums = [self._zeros(count) for _ in range(self.columns) for count in counts]
        self._finish(self._summed(0, sums, (left, right), counts), [*batch, row], counts)

    def _summed(self, axis: int, sums: list[Any], at: tuple[Any, Any], counts: Sequence[int]) -> list[Any]:
        """Return sums, column after column, to which loops over the inner axes from this one on have added."""
        w, k = self.w, self.k
        if axis == len(k.inner):
            return self._added(sums, at, counts)
        before = w.b.block
        with w.loop(k.inner[axis]) as counter:
            going = [w.b.phi(start.type) for start in sums]
            for phi, start in zip(going, sums, strict=True):
                phi.add_incoming(start, before)
            steps = k.left.steps[axis - len(k.inner)], k.beside[axis]
            here = [w.moved(place, w.b.mul(counter, w.const(step))) for place, step in zip(at, steps, strict=True)]
            found = self._summed(axis + 1, going, (here[0], here[1]), counts)
            for phi, result in zip(going, found, strict=True):
                phi.add_incoming(result, w.b.block)
        return found

    def _added(self, sums: list[Any], at: tuple[Any, Any], counts: Sequence[int]) -> list[Any]:
        w, (left, right) = self.w, at
        vectors = []
        for v, count in enumerate(counts):
            with self.w.narrowed(count):
                vectors.append(w.load(w.moved(left, v * self.lanes.count), 1, count))
        found = []
        for column in range(self.columns):
            number = w.scalar(w.moved(right, column * self.k.beside[-1]))
            for v, (count, vector) in enumerate(zip(counts, vectors, strict=True)):
                with self.w.narrowed(count):
                    found.append(w.lanes.fma(w.splat(number), vector, sums[column * len(vectors) + v]))
        return found

    def _finish(self, sums: list[Any], corner: list[Any], counts: Sequence[int]) -> None:
        """Write the functions of the sums, with what they read beside them."""
        w, lanes = self.w, self.lanes.count
        leaves = self.k.tree.leaves
        starts = {value: at_indices(w, access, corner) for value, access in leaves.items()}
        target = at_indices(w, self.k.target, corner)
        for column in range(self.columns):
            for v, count in enumerate(counts):
                known = {self.k.product: sums[column * len(counts) + v]}
                with self.w.narrowed(count):
                    for value, access in leaves.items():
                        along, across = access.steps[-2:]
                        place = w.moved(starts[value], column * across + v * lanes * along)
                        known[value] = w.load(place, along, count)
                    place = w.moved(target, column * self.k.target.steps[-1] + v * lanes)
                    w.store(evaluated(w, self.k.tree.root, known), place, 1, count)

    def _zeros(self, count: int) -> Any:
        with self.w.narrowed(count):
            return self.w.lanes.const(0.0)
