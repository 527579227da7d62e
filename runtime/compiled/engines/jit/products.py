"""Native code of matrix products: micro-tiles of sums stay in registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.kernels import NativeProduct
from hybridlint.runtime.compiled.engines.jit.packing import at_indices
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.writer import WIDTH, IRWriter
from hybridlint.runtime.compiled.lowering.values import ArrayValue

#: So many products at most, and at least, are added up one after another; sums of sums follow, as short ones err less.
_LONGEST_SUM, _SHORTEST_SUM = 256, 32
#: Bytes of panels that are gone through for one tile of rows before the next one: about what the second cache holds.
#: Results are written row by row then, which is faster than down a long column.
_TOGETHER = 1 << 20
#: Bytes of a panel that the first cache does not hold beside rows. It is asked for line by line, so many bytes ahead.
_TOO_LONG, _AHEAD, _LINE = 1 << 15, 1 << 13, 64
#: Of so many functions, those of several sums are computed step by step together: what they share stays in registers,
#: and none waits for the one before. Only the largest vectors come with registers enough for it.
_MANY_FUNCTIONS, _TOGETHER_FINISHED, _MOST_LANES = 12, 4, 16
#: Sums of so many products take longer than memory does.
_LONG = 64


def write_multiply(writer: IRWriter, kernel: NativeProduct) -> None:
    """Write matrix products, a tile of rows after another, and of each the panels from left to right."""
    _Multiplying(writer, kernel).write()


class _Multiplying:
    def __init__(self, writer: IRWriter, kernel: NativeProduct) -> None:
        self.w, self.k = writer, kernel
        *self.batches, self.rows, columns = kernel.sizes
        self.high, self.vectors = kernel.tile
        self.width = self.vectors * writer.lanes.count
        self.panels, self.beyond = divmod(columns, self.width)
        #: So many batch axes, the first ones, have panels of their own.
        self.own = max((k + 1 for k, step in enumerate(kernel.panels.steps) if step), default=0)
        own, self.others = self.batches[: self.own], self.batches[self.own :]
        #: So many panels are gone through for a tile of rows before the next one; None if these are all.
        together = max(_TOGETHER // (prod(kernel.inner) * self.width * WIDTH), 1)
        self.group = together if together < self.panels else None
        rows = [*self.others, self.rows // self.high]
        counts = [*own, *rows, self.panels] if self.group is None else [*own, self.panels, *rows]
        #: The level of the loops that threads share.
        self.shared = shared_axis(counts)

    def write(self) -> None:
        """Write the loops, outermost first: batches with panels of their own, groups of panels, other batches, rows."""
        with self.w.once(self.shared is None):
            self.w.nest(self.batches[: self.own], self._groups, self.shared)

    def _groups(self, batch: list[Any]) -> None:
        """Write the loop over groups of panels, and what does all rows for each."""
        if self.group is None:
            self._rows(batch, self._all_panels)
            return
        w, shared = self.w, self.shared == self.own
        first, last = w.bounds(self.panels, 1) if shared else (w.const(0), w.const(self.panels))
        with w.loop(self.panels, self.group, within=(first, last)) as begin:
            end = w.smaller(w.b.add(begin, w.const(self.group)), last)
            self._rows(batch, partial(self._some_panels, (begin, end)))
        if self.beyond:
            with w.once(shared):
                self._rows(batch, self._last_panel)

    def _rows(self, batch: list[Any], write: Callable[[list[Any], Any, int], None]) -> None:
        """Write the loops over the batches that share panels and over tiles of rows, with what each does."""
        level = self.own + (self.group is not None)
        shared = None if self.shared is None else self.shared - level
        by_rows = shared == len(self.others)
        whole = self.rows // self.high * self.high

        def tiles(more: list[Any]) -> None:
            if whole:
                with self.w.loop(whole, self.high, shared=by_rows) as row:
                    write([*batch, *more], row, self.high)
            if whole < self.rows:
                with self.w.once(by_rows):
                    write([*batch, *more], self.w.const(whole), self.rows - whole)

        self.w.nest(self.others, tiles, shared)

    def _all_panels(self, batch: list[Any], row: Any, high: int) -> None:
        shared = self.shared == self.own + len(self.others) + 1
        if self.panels:
            with self.w.loop(self.panels, shared=shared) as panel:
                self._tile(batch, panel, row, high, self.width)
        if self.beyond:
            with self.w.once(shared):
                self._last_panel(batch, row, high)

    def _some_panels(self, bounds: tuple[Any, Any], batch: list[Any], row: Any, high: int) -> None:
        with self.w.loop(self.panels, within=bounds) as panel:
            self._tile(batch, panel, row, high, self.width)

    def _last_panel(self, batch: list[Any], row: Any, high: int) -> None:
        """Write the products with a panel that is not full."""
        self._tile(batch, self.w.const(self.panels), row, high, self.beyond)

    def _tile(self, batch: list[Any], panel: Any, row: Any, high: int, count: int) -> None:
        """Write one tile: sums over the inner axes, then what finishes them."""
        w = self.w
        left = at_indices(w, self.k.left, [*batch, row])
        size = prod(self.k.inner) * self.width
        right = w.moved(at_indices(w, self.k.panels, batch), w.b.mul(panel, w.const(size)))
        vectors = -(-count // w.lanes.count)
        column = w.b.mul(panel, w.const(self.width))
        self._announce([*batch, row, column], high, vectors)
        sums = self._sums(left, right, high, vectors)
        self._finish(sums, [*batch, row, column], high, count)

    def _announce(self, corner: list[Any], high: int, vectors: int) -> None:
        """Ask for the memory that finishing a tile reads and writes, which is there then when its sums are."""
        if prod(self.k.inner) < _LONG:
            return
        w = self.w
        for access, writes in [*((leaf, False) for leaf in self.k.tree.leaves.values()), (self.k.target, True)]:
            down, across = access.steps[-2:]
            if down and across == 1:
                start = w.address(access, corner)
                for row in range(high):
                    for v in range(vectors):
                        w.announce(w.moved(start, row * down + v * w.lanes.count), writes=writes)

    def _sums(self, left: Any, right: Any, high: int, vectors: int) -> list[Any]:
        """Return the sums of a tile, row after row."""
        w, m = self.w, self.w.lanes
        sizes, steps = _in_blocks(self.k.inner, self.k.left.steps[-len(self.k.inner) :])
        down = self.k.left.steps[-len(self.k.inner) - 1]
        long = self.width * WIDTH >= _LINE and prod(self.k.inner) * self.width * WIDTH >= _TOO_LONG

        def add(sums: list[Any], a: Any, b: Any) -> list[Any]:
            panel = [w.load(w.moved(b, v * m.count), 1, m.count) for v in range(vectors)]
            for line in range(0, self.width if long else 0, _LINE // WIDTH):
                w.announce(w.moved(b, _AHEAD // WIDTH + line), soon=True)
            found = []
            for row in range(high):
                number = w.splat(w.scalar(w.moved(a, row * down)))
                found += [m.fma(number, panel[v], sums[row * vectors + v]) for v in range(vectors)]
            return found

        return self._summed(sizes, steps, [m.const(0.0)] * (high * vectors), (left, right), add)

    def _summed(
        self,
        sizes: Sequence[int],
        steps: Sequence[int],
        sums: list[Any],
        at: tuple[Any, Any],
        add: Callable[[list[Any], Any, Any], list[Any]],
    ) -> list[Any]:
        """Return sums to which loops over the inner axes have added; those of a block go round in registers."""
        if not sizes:
            return add(sums, *at)
        apart = prod(sizes) > _LONGEST_SUM and prod(sizes[1:]) >= _SHORTEST_SUM
        w, before = self.w, self.w.b.block
        with w.loop(sizes[0]) as counter:
            going = [w.b.phi(w.lanes.floats) for _ in sums]
            for phi, start in zip(going, sums, strict=True):
                phi.add_incoming(start, before)
            a = w.moved(at[0], w.b.mul(counter, w.const(steps[0])))
            b = w.moved(at[1], w.b.mul(counter, w.const(prod(sizes[1:]) * self.width)))
            first = [w.lanes.const(0.0)] * len(sums) if apart else going
            found = self._summed(sizes[1:], steps[1:], first, (a, b), add)
            if apart:
                found = [w.b.fadd(total, more) for total, more in zip(going, found, strict=True)]
            for phi, result in zip(going, found, strict=True):
                phi.add_incoming(result, w.b.block)
        return found

    def _finish(self, sums: list[Any], corner: list[Any], high: int, count: int) -> None:
        """Write the functions of the sums, with what they read beside them."""
        w, lanes = self.w, self.w.lanes.count
        vectors = -(-count // lanes)
        leaves = self.k.tree.leaves
        starts = {value: w.address(access, corner) for value, access in leaves.items()}
        target = w.address(self.k.target, corner)
        # What is the same for all rows is read once.
        shared: dict[tuple[Any, int], Any] = {}
        waiting: list[tuple[dict[ArrayValue, Any], Any, int]] = []
        together = _TOGETHER_FINISHED if self.k.tree.functions >= _MANY_FUNCTIONS and lanes == _MOST_LANES else 1
        for row in range(high):
            for v in range(vectors):
                have = min(lanes, count - v * lanes)
                known = {self.k.product: sums[row * vectors + v]}
                for value, access in leaves.items():
                    down, across = access.steps[-2:]
                    key = (value, v if across else 0)
                    if not down and key in shared:
                        known[value] = shared[key]
                        continue
                    place = w.moved(starts[value], row * down + v * lanes * across)
                    known[value] = w.load(place, across, have)
                    if not down:
                        shared[key] = known[value]
                down, across = self.k.target.steps[-2:]
                waiting.append((known, w.moved(target, row * down + v * lanes * across), have))
                if len(waiting) == together:
                    self._write(waiting)
                    waiting = []
        for one in waiting:
            self._write([one])

    def _write(self, waiting: Sequence[tuple[dict[ArrayValue, Any], Any, int]]) -> None:
        """Write functions of the vectors of leaves to places, for all vectors together."""
        w, root, across = self.w, self.k.tree.root, self.k.target.steps[-1]
        every = [known for known, _, _ in waiting]
        if len(every) == 1:
            found = [evaluate_value(w, root, every[0])]
        else:
            leaves = {value: w.lanes.together([known[value] for known in every]) for value in every[0]}
            with w.widened(len(every)):
                found = w.lanes.parts(evaluate_value(w, root, leaves), len(every))
        for result, (_, place, have) in zip(found, waiting, strict=True):
            w.store(result, place, across, have)


def _in_blocks(sizes: Sequence[int], steps: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the sizes and steps of inner axes. A long last axis becomes two: blocks, and the sum inside each."""
    length = sizes[-1]
    if length <= _LONGEST_SUM:
        return sizes, steps
    block = next(n for n in range(_LONGEST_SUM, 0, -1) if not length % n)
    return (*sizes[:-1], length // block, block), (*steps[:-1], steps[-1] * block, steps[-1])
