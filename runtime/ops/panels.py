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


@record(frozen=True, slots=True)
class Panels:
    """How matrices (..., `inner`, `columns`) are cut into panels, `width` columns each, for products with `rows` rows.

    So many rows as `height` says are multiplied with a panel at a time.
    """

    rows: int
    inner: int
    columns: int
    height: int
    width: int

    def types(self, dtype: str | None, *batch: int) -> tuple[TensorType, ...]:
        """Return the types of the arrays that hold the panels: all that are whole, then the rest."""
        parts = _cut(self.columns, self.width)
        return tuple(TensorType((*batch, count, self.inner, width), dtype) for _, count, width in parts)

    def fill(self, xp: Any, turned: Any, kept: Sequence[Any]) -> None:
        """Copy matrices, given as (..., columns, inner), into their panels."""
        for (begin, count, width), panel in zip(_cut(self.columns, self.width), kept, strict=True):
            part = turned[..., begin : begin + count * width, :]
            xp.copyto(panel, part.reshape(*part.shape[:-2], count, width, self.inner).swapaxes(-1, -2))

    def multiply(self, xp: Any, rows: Any, kept: Sequence[Any], out: Any) -> None:
        """Multiply (..., rows, inner) with the matrices, into `out` (..., rows, columns)."""
        batch = rows.shape[:-2]
        for top, high, height in _cut(self.rows, self.height):
            left = rows[..., top : top + high * height, :].reshape(*batch, high, 1, height, self.inner)
            lines = out[..., top : top + high * height, :]
            for (begin, count, width), panel in zip(_cut(self.columns, self.width), kept, strict=True):
                place = lines[..., begin : begin + count * width].reshape(*batch, high, height, count, width)
                xp.matmul(left, panel[..., None, :, :, :], out=place.swapaxes(-3, -2))


def panels(rows: int, inner: int, columns: int, *, width: int | None = None) -> Panels:
    """Return panels that make the parts of a product small; one panel where no part can be.

    `width` is that of panels which are there.
    """
    if width is not None:
        return Panels(rows, inner, columns, _height(rows, inner, width), width)
    for wanted in _WIDTHS:
        if _SMALL // (wanted * inner) >= min(rows, _LEAST_ROWS):
            return Panels(rows, inner, columns, _height(rows, inner, wanted), min(wanted, columns))
    return Panels(rows, inner, columns, rows, columns)


def _height(rows: int, inner: int, width: int) -> int:
    """Return how many rows are multiplied with a panel at a time: a divisor of all where one is near."""
    most = min(rows, _MOST_ROWS, max(_SMALL // (width * inner), 1))
    if width > _WIDTHS[0] or most < min(rows, _LEAST_ROWS):
        return rows
    return next((height for height in range(most, most // 2, -1) if rows % height == 0), most)


def _cut(size: int, part: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin, number and size of the parts: those that are whole together, then the rest."""
    whole, rest = divmod(size, part)
    if whole:
        yield 0, whole, part
    if rest:
        yield whole * part, 1, rest
