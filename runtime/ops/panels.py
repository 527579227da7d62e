"""Matrix products in small parts, with the right operand laid out for them: copied once, used by many products.

A library of matrix products copies the operands of a large product into an order of its own, each time; small ones it
takes as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import TensorType

#: A product of so many multiplications at most is a small one.
_SMALL = 1_000_000
#: Columns of a panel, best first, and rows that are multiplied with it at a time.
_WIDTHS = (64, 32, 16)
_MOST_ROWS, _LEAST_ROWS = 32, 8
#: So many products at most are added up one after another.
_DEEPEST = 512


@record(frozen=True, slots=True)
class Panels:
    """How matrices (..., `inner`, `columns`) are cut into panels, `width` columns each, for products with `rows` rows.

    So many rows as `height` says are multiplied with a panel at a time. Sums over many products are added up in parts
    of `depth` each, so that their errors stay small.
    """

    rows: int
    inner: int
    columns: int
    height: int
    width: int
    depth: int

    def types(self, dtype: str | None, *batch: int) -> tuple[TensorType, ...]:
        """Return the types of the arrays of panels: for each range of the sums, the whole panels, then the rest."""
        shapes = (
            (*batch, count, end - begin, width)
            for begin, end in self._depths()
            for _, count, width in _cut(self.columns, self.width)
        )
        return tuple(TensorType(shape, dtype) for shape in shapes)

    def room(self, dtype: str | None, *batch: int) -> tuple[TensorType, ...]:
        """Return the type of what `multiply` needs beside: nothing, or an array for parts of sums."""
        return () if self.depth == self.inner else (TensorType((*batch, self.rows, self.columns), dtype),)

    def fill(self, xp: Any, turned: Any, kept: Sequence[Any]) -> None:
        """Copy matrices, given as (..., columns, inner), into their panels."""
        panels = iter(kept)
        for first, last in self._depths():
            for begin, count, width in _cut(self.columns, self.width):
                part = turned[..., begin : begin + count * width, first:last]
                shape = (*part.shape[:-2], count, width, last - first)
                xp.copyto(next(panels), part.reshape(shape).swapaxes(-1, -2))

    def multiply(self, xp: Any, rows: Any, kept: Sequence[Any], out: Any, room: Sequence[Any] = ()) -> None:
        """Multiply (..., rows, inner) with the matrices, into `out` (..., rows, columns)."""
        each = len(kept) // len(self._depths())
        for k, (first, last) in enumerate(self._depths()):
            into = out if k == 0 else room[0]
            self._multiply(xp, rows[..., first:last], kept[k * each : (k + 1) * each], into)
            if k:
                xp.add(out, into, out=out)

    def _multiply(self, xp: Any, rows: Any, kept: Sequence[Any], out: Any) -> None:
        batch, inner = rows.shape[:-2], rows.shape[-1]
        for top, high, height in _cut(self.rows, self.height):
            left = rows[..., top : top + high * height, :].reshape(*batch, high, 1, height, inner)
            lines = out[..., top : top + high * height, :]
            for (begin, count, width), panel in zip(_cut(self.columns, self.width), kept, strict=True):
                place = lines[..., begin : begin + count * width].reshape(*batch, high, height, count, width)
                xp.matmul(left, panel[..., None, :, :, :], out=place.swapaxes(-3, -2))

    def _depths(self) -> list[tuple[int, int]]:
        return [(begin, min(begin + self.depth, self.inner)) for begin in range(0, self.inner, self.depth)]


def panels(rows: int, inner: int, columns: int, *, width: int | None = None) -> Panels:
    """Return panels that make the parts of a product small; one panel where no part can be.

    `width` is that of panels which are there.
    """
    depth = -(-inner // -(-inner // _DEEPEST))
    if width is None:
        width = next((w for w in _WIDTHS if _SMALL // (w * depth) >= min(rows, _LEAST_ROWS)), columns)
    return Panels(rows, inner, columns, _height(rows, depth, width), min(width, columns), depth)


def height_of_small(rows: int, inner: int, columns: int) -> int | None:
    """Return the number of rows of a small product, a divisor of all rows; None if none is worthwhile."""
    most = min(rows, _SMALL // (inner * columns))
    return next((height for height in range(most, _LEAST_ROWS - 1, -1) if rows % height == 0), None)


def _height(rows: int, inner: int, width: int) -> int:
    """Return how many rows are multiplied with a panel at a time: a divisor of all where one is near."""
    most = min(rows, _MOST_ROWS, max(_SMALL // (width * inner), 1))
    if width > _WIDTHS[0] or most < min(rows, _LEAST_ROWS):
        return rows
    return next((height for height in range(most, most // 2, -1) if rows % height == 0), most)


def _cut(size: int, part: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin, number and size of the parts: all whole parts together, then the rest."""
    whole, rest = divmod(size, part)
    if whole:
        yield 0, whole, part
    if rest:
        yield whole * part, 1, rest
