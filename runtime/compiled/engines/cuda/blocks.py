"""Blocks of threads for kernels over rows."""

from __future__ import annotations

from dataclasses import dataclass

#: Most threads of a row.
_WIDEST = 512


@dataclass(frozen=True, slots=True)
class Shape:
    """A block of threads: `rows` by `lanes`. Neighbours are those of a row, or rows side by side if `upright`."""

    rows: int
    lanes: int
    upright: bool

    @property
    def threads(self) -> int:
        """The number of threads."""
        return self.rows * self.lanes

    @property
    def stride(self) -> int:
        """How many threads lie between neighbours along a row."""
        return self.rows if self.upright else 1


def shape_of(rows: int, length: int, *, upright: bool) -> Shape:
    """Return the threads of a block for a given number of rows of a length."""
    if upright:
        wide = min(32, _power_of_two(rows))
        return Shape(wide, min(_power_of_two(length), 256 // wide), upright)
    lanes = _power_of_two(length) if length <= 32 else min(_WIDEST, max(32, _power_of_two(-(-length // 4))))
    return Shape(min(max(1, 128 // lanes), _power_of_two(rows)), lanes, upright)


def _power_of_two(number: int) -> int:
    """Return the smallest power of two that is not below a number."""
    return 1 << (number - 1).bit_length()
