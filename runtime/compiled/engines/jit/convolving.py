"""Native code of convolutions by Winograd's algorithm: a block of squares after another goes through all three steps.

What a block needs between the steps is small enough to stay in the processor's cache. Each share of the work has
memory of its own for it.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.kernels import Convolve, NativeProduct, PackFilters
from hybridlint.runtime.compiled.engines.jit.pooling import combine_results
from hybridlint.runtime.compiled.engines.jit.products import write_multiply
from hybridlint.runtime.compiled.engines.jit.winograd import transform_square
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Tree
from hybridlint.runtime.compiled.lowering.values import Sizes


def write_pack_filters(writer: IRWriter, kernel: PackFilters) -> None:
    """Write the transformation of filters into panels: one set for each element of a transformed square."""
    w, k = writer, kernel
    full, rest = divmod(k.sizes[-1], k.width)
    if full:
        with w.loop(full, shared=True) as panel:
            _pack_panel(w, k, panel, k.width)
    if rest:
        with w.once():
            _pack_panel(w, k, w.const(full), rest)


def _pack_panel(w: IRWriter, k: PackFilters, panel: Any, count: int) -> None:
    """Write a panel of a given number of filters, in each of the sets."""
    *_, channels, filters = k.sizes
    down, across, channel, each = k.source.steps
    size = -(-filters // k.width) * channels * k.width
    with w.loop(channels) as c:
        source = w.address(Access(k.source.buffer, k.source.start, (channel, each * k.width)), [c, panel])
        target = w.address(Access(k.target.buffer, k.target.start, (k.width, channels * k.width)), [c, panel])
        for first in range(0, k.width, w.lanes.count):
            have = max(0, min(w.lanes.count, count - first))
            begin = w.moved(source, first * each)

            def filters_at(y: int, x: int, begin: Any = begin, have: int = have) -> Any:
                return w.load(w.moved(begin, y * down + x * across), each, have) if have else w.lanes.const(0.0)

            across_it = range(k.form.filter)
            square = [[filters_at(y, x) for x in across_it] for y in across_it]
            for point, vector in enumerate(chain(*transform_square(w, k.form.fold, square))):
                w.store(vector, w.moved(target, point * size + first), 1, w.lanes.count)


def write_convolve(writer: IRWriter, kernel: Convolve) -> None:
    """Write a convolution."""
    _Convolving(writer, kernel).write()


class _Convolving:
    def __init__(self, writer: IRWriter, kernel: Convolve) -> None:
        self.w, self.k = writer, kernel
        samples, height, width, self.filters = kernel.sizes
        #: Squares in a row, rows of squares in a sample, squares and blocks.
        self.across, self.down = width // kernel.form.size, height // kernel.form.size
        self.count = kernel.rows * self.across
        self.blocks = samples * self.down // kernel.rows
        self.points = range(kernel.form.width**2)

    def write(self) -> None:
        """Write the loop over blocks, which threads share."""
        w, k = self.w, self.k
        data = w.own_part(k.scratch, k.part)
        sums = w.moved(data, len(self.points) * self.count * k.channels)
        with w.loop(self.blocks, shared=True) as block, w.alone():
            w.nest([k.rows, self.across], lambda square: self._turn(block, square, data))
            self._multiply(data, sums)
            w.nest([k.rows, self.across], lambda square: self._show(block, square, sums))

    def _turn(self, block: Any, square: list[Any], data: Any) -> None:
        """Write the transformation of a square of data."""
        w, k = self.w, self.k
        _, down, across, _ = k.source.steps
        source, own = self._corner(k.source, block, square), self._row(data, square, k.channels)

        def part(first: Any, have: int) -> None:
            begin, target = w.moved(source, first), w.moved(own, first)
            held = [
                [w.load(w.moved(begin, y * down + x * across), 1, have) for x in range(k.form.width)]
                for y in range(k.form.width)
            ]
            for point, vector in zip(self.points, chain(*transform_square(w, k.form.turn, held)), strict=True):
                w.store(vector, w.moved(target, point * self.count * k.channels), 1, have)

        with w.narrowed(k.channels):
            w.parts(k.channels, part)

    def _multiply(self, data: Any, sums: Any) -> None:
        """Write sums over channels: one matrix product for each element of a transformed square."""
        k, count = self.k, self.count
        # Only this kernel knows these buffers, which have no slots in the table.
        left = Access(Buffer(-1, 0), 0, (count * k.channels, k.channels, 1))
        target = Access(Buffer(-2, 0), 0, (count * self.filters, self.filters, 1))
        self.w.know(left, data)
        self.w.know(target, sums)
        sizes = (len(self.points), count, self.filters)
        tree = Tree(k.product, {})
        write_multiply(self.w, NativeProduct(sizes, (k.channels,), left, k.panels, k.tile, tree, k.product, target))

    def _show(self, block: Any, square: list[Any], sums: Any) -> None:
        """Write the transformation of sums into a square of results, and the functions of these."""
        w, k, width = self.w, self.k, self.k.form.width
        _, high, wide, _ = (1, 1, 1, 1) if k.pooled is None else k.pooled.strides
        own, target = self._row(sums, square, self.filters), self._corner(k.target, block, square, high, wide)
        leaves = {value: self._corner(access, block, square) for value, access in k.tree.leaves.items()}

        def part(first: Any, have: int) -> None:
            begin = w.moved(own, first)
            each = self.count * self.filters
            held = [
                [w.load(w.moved(begin, (y * width + x) * each), 1, have) for x in range(width)] for y in range(width)
            ]
            starts = {value: self._along(leaves[value], access, first) for value, access in k.tree.leaves.items()}
            out = self._along(target, k.target, first)
            # What is the same for all places is read once.
            known = {v: w.load(starts[v], a.steps[3], have) for v, a in k.tree.leaves.items() if not any(a.steps[1:3])}

            def finished(y: int, x: int, vector: Any) -> Any:
                here = {
                    value: w.load(self._moved(starts[value], access, y, x), access.steps[3], have)
                    for value, access in k.tree.leaves.items()
                    if value not in known
                }
                return evaluate_value(w, k.tree.root, {**known, **here, k.product: vector})

            shown = transform_square(w, k.form.show, held)
            for y in range(0, k.form.size, high):
                for x in range(0, k.form.size, wide):
                    results: dict[Sizes, Any] = {
                        (0, i, j, 0): finished(y + i, x + j, shown[y + i][x + j])
                        for i in range(high)
                        for j in range(wide)
                    }
                    at = self._moved(out, k.target, y // high, x // wide)
                    w.store(combine_results(w, k.pooled, results), at, k.target.steps[3], have)

        with w.narrowed(self.filters):
            w.parts(self.filters, part)

    def _corner(self, access: Access, block: Any, square: list[Any], high: int = 1, wide: int = 1) -> Any:
        """Return the address of the first element of a square, given its row in the block and its column.

        Instead of results there may be rectangles of them, so high and wide.
        """
        w, b, size = self.w, self.w.b, self.k.form.size
        row, column = square
        rows = b.mul(block, w.const(self.k.rows))
        rows = rows if row is None else b.add(rows, row)
        indices = [b.udiv(rows, w.const(self.down)), b.urem(rows, w.const(self.down)), column]
        sample, down, across, _ = access.steps
        return w.address(
            Access(access.buffer, access.start, (sample, down * size // high, across * size // wide)), indices
        )

    def _row(self, at: Any, square: list[Any], size: int) -> Any:
        """Return the address of a square's numbers in a block of squares, each with `size` numbers."""
        w, b = self.w, self.w.b
        for index, step in zip(square, (self.across * size, size), strict=True):
            at = at if index is None else w.moved(at, b.mul(index, w.const(step)))
        return at

    def _along(self, at: Any, access: Access, first: Any) -> Any:
        """Return the address a given number of filters after another one."""
        return self.w.moved(at, self.w.b.mul(first, self.w.const(access.steps[3])))

    def _moved(self, at: Any, access: Access, y: int, x: int) -> Any:
        """Return the address of a result of the square."""
        return self.w.moved(at, y * access.steps[1] + x * access.steps[2])
