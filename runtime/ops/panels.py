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
    """How a matrix (`inner`, `columns`) is cut into panels for products with `rows` rows: `width` columns each."""

    rows: int
    inner: int
    columns: int
    height: int
    width: int

    def types(self, dtype: str | None) -> tuple[TensorType, ...]:
        """Return the types of the arrays that hold the panels: all that are whole, then the rest."""
        return tuple(
            TensorType((count, self.inner, width), dtype) for _, count, width in _cut(self.columns, self.width)
        )

    def fill(self, xp: Any, turned: Any, kept: Sequence[Any]) -> None:
        """Copy a matrix, given as (columns, inner), into its panels."""
        for (begin, count, width), panel in zip(_cut(self.columns, self.width), kept, strict=True):
            part = turned[begin : begin + count * width].reshape(count, width, self.inner)
            xp.copyto(panel, part.swapaxes(1, 2))

    def multiply(self, xp: Any, rows: Any, kept: Sequence[Any], out: Any) -> None:
        """Multiply (rows, inner) with the matrix, into `out` (rows, columns)."""
        for top, high, height in _cut(self.rows, self.height):
            left = rows[top : top + high * height].reshape(high, 1, height, self.inner)
            lines = out[top : top + high * height]
            for (begin, count, width), panel in zip(_cut(self.columns, self.width), kept, strict=True):
                place = lines[:, begin : begin + count * width].reshape(high, height, count, width)
                xp.matmul(left, panel, out=place.swapaxes(1, 2))


def panels(rows: int, inner: int, columns: int) -> Panels:
    """Return panels that make the parts of a product small; one panel where no part can be."""
    for width in _WIDTHS:
        height = min(rows, _MOST_ROWS, _SMALL // (width * inner))
        if height >= min(rows, _LEAST_ROWS):
            if rows % height:
                height = next((h for h in range(height, height // 2, -1) if rows % h == 0), height)
            return Panels(rows, inner, columns, height, min(width, columns))
    return Panels(rows, inner, columns, rows, columns)


def _cut(size: int, part: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin, number and size of the parts: those that are whole together, then the rest."""
    whole, rest = divmod(size, part)
    if whole:
        yield 0, whole, part
    if rest:
        yield whole * part, 1, rest
