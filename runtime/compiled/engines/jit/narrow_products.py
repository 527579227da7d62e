"""Native code of matrix products with few columns: vectors lie along rows, and columns are single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.kernels import NativeProduct, Pooled
from hybridlint.runtime.compiled.engines.jit.packing import at_indices
from hybridlint.runtime.compiled.engines.jit.pooling import combine_results, every_second, store_by_turns
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter

#: Longer sums are added up in blocks, which only products over panels do.
_LONGEST_SUM = 256
#: Vectors along rows hold so many times the numbers that those along columns hold, at least.
_GAIN = 1.25
#: So many rows at most are pooled together.
_MOST_ALONG = 2


def narrow_tile(
    target: TargetProcessor, rows: int, columns: int, inner: Sequence[int], pooled: Pooled | None = None
) -> tuple[int, int] | None:
    """Return how many columns and vectors of rows are computed at once; None if vectors lie along columns.

    Those that are pooled together have to be computed at once, in rectangles of batches and rows that are small.
    """
    most, wide = target.tile
    high, along, across = (1, 1, 1) if pooled is None else (1, *pooled.strides)[-3:]
    together = columns * high
    if columns > most or together > most * wide or prod(inner) > _LONGEST_SUM:
        return None
    apart = pooled is not None and any(stride != 1 for stride in (*pooled.strides[:-3], across))
    if apart or along > _MOST_ALONG or _filled(rows, target) < _GAIN * _filled(columns, target):
        return None
    return columns, min(most * wide // together, -(-rows // target.lanes))


def _filled(size: int, target: TargetProcessor) -> float:
    """Return which part of the vectors along an axis holds numbers."""
    return size / (-(-size // target.lanes) * target.lanes)


def write_narrow(writer: IRWriter, kernel: NativeProduct) -> None:
    """Write matrix products, batch by batch; those that are pooled together at once."""
    high, _ = _rectangle(kernel)
    batches = kernel.sizes[:-2]
    batches = batches if high == 1 else (*batches[:-1], batches[-1] // high)
    shared = shared_axis(batches)
    with writer.once(shared is None):
        writer.nest(batches, _Batch(writer, kernel).write, shared)


def _rectangle(kernel: NativeProduct) -> tuple[int, int]:
    """Return how many batches and rows are pooled together."""
    *_, high, wide, _ = (1, 1, 1, 1) if kernel.pooled is None else (1, *kernel.pooled.strides)
    return high, wide


class _Batch:
    def __init__(self, writer: IRWriter, kernel: NativeProduct) -> None:
        self.w, self.k = writer, kernel
        *_, self.rows, self.columns = kernel.sizes
        self.lanes = writer.lanes
        #: So many batches are computed together, and so many rows of each pooled with them.
        self.high, self.wide = _rectangle(kernel)

    def write(self, batch: list[Any]) -> None:
        """Write the loop over tiles, each of a given number of vectors along rows, and the remaining rows."""
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
        """Write one tile of vectors with a given number of elements each."""
        k, w = self.k, self.w
        first = batch if self.high == 1 else [*batch[:-1], self._times(batch[-1], self.high)]
        left, right = at_indices(w, k.left, [*first, row]), at_indices(w, k.panels, first)
        sums = [self._zeros(count) for _ in range(self.columns) for _ in range(self.high) for count in counts]
        results = self._finished(self._summed(0, sums, (left, right), counts), [*first, row], counts)
        self._store(results, [*batch, row if self.wide == 1 else w.b.udiv(row, w.const(self.wide))], counts)

    def _times(self, index: Any, factor: int) -> Any:
        return None if index is None else self.w.b.mul(index, self.w.const(factor))

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
        down = self.k.left.steps[-2 - len(self.k.inner)] if self.high > 1 else 0
        vectors = []
        for y in range(self.high):
            for v, count in enumerate(counts):
                with w.narrowed(count):
                    vectors.append(w.load(w.moved(left, y * down + v * self.lanes.count), 1, count))
        found = []
        for column in range(self.columns):
            number = w.scalar(w.moved(right, column * self.k.beside[-1]))
            for n, vector in enumerate(vectors):
                with w.narrowed(counts[n % len(counts)]):
                    found.append(w.lanes.fma(w.splat(number), vector, sums[column * len(vectors) + n]))
        return found

    def _finished(self, sums: list[Any], corner: list[Any], counts: Sequence[int]) -> list[Any]:
        """Return functions of the sums, with what they read beside them."""
        w, lanes = self.w, self.lanes.count
        leaves = self.k.tree.leaves
        starts = {value: at_indices(w, access, corner) for value, access in leaves.items()}
        found: list[Any] = []
        places = [(y, v, count) for y in range(self.high) for v, count in enumerate(counts)]
        for column in range(self.columns):
            for y, v, count in places:
                known = {self.k.product: sums[len(found)]}
                with w.narrowed(count):
                    for value, access in leaves.items():
                        along, across = access.steps[-2:]
                        down = access.steps[-3] if self.high > 1 else 0
                        place = w.moved(starts[value], y * down + column * across + v * lanes * along)
                        known[value] = w.load(place, along, count)
                    found.append(evaluate_value(w, self.k.tree.root, known))
        return found

    def _store(self, results: list[Any], corner: list[Any], counts: Sequence[int]) -> None:
        """Write results, or what rectangles of them become."""
        w, (along, across) = self.w, self.k.target.steps[-2:]
        target = at_indices(w, self.k.target, corner)
        each = len(results) // self.columns
        columns = [self._pooled(results[k * each : (k + 1) * each], counts) for k in range(self.columns)]
        first = 0
        for v, (_, count) in enumerate(columns[0]):
            vectors = [column[v][0] for column in columns]
            if across == 1 < self.columns == along:
                store_by_turns(w, vectors, w.moved(target, first * along), count)
            else:
                with w.narrowed(count):
                    for column, vector in enumerate(vectors):
                        w.store(vector, w.moved(target, column * across + first * along), along, count)
            first += count

    def _pooled(self, results: list[Any], counts: Sequence[int]) -> list[tuple[Any, int]]:
        """Return the vectors that are written of a column, each with how many numbers it holds."""
        if self.k.pooled is None:
            return list(zip(results, counts, strict=True))
        w, found = self.w, []
        before = (0,) * (len(self.k.sizes) - 3)
        for v in range(0, len(counts), self.wide):
            count = sum(counts[v : v + self.wide]) // self.wide
            rectangle = {}
            for y in range(self.high):
                row = results[y * len(counts) :][: len(counts)][v : v + self.wide]
                for x in range(self.wide):
                    part = row[0] if self.wide == 1 else every_second(w, row, x, count)
                    rectangle[(*before, y, x, 0)] = part
            with w.narrowed(count):
                found.append((combine_results(w, self.k.pooled, rectangle), count))
        return found

    def _zeros(self, count: int) -> Any:
        with self.w.narrowed(count):
            return self.w.lanes.const(0.0)
