"""The size of the micro-tile of a matrix product: as many sums as the registers hold."""

from __future__ import annotations

from hybridlint.runtime.compiled.engines.jit.target import Target

#: Most vectors beside each other when there are few rows.
_WIDEST = 8


def tile_of(target: Target, rows: int, columns: int, inner: int) -> tuple[int, int]:
    """Return the rows and the vectors of a tile for a product of this size."""
    most, wide = target.tile
    sums = most * wide
    needed = -(-columns // target.lanes)
    if rows >= most:
        vectors = min(wide, needed)
        return _even(rows, sums // vectors), vectors
    vectors = max(1, min(_WIDEST, sums // rows, needed))
    return rows, vectors


def _even(rows: int, most: int) -> int:
    """Return the number of rows, at most `most`, that leaves the fewest over; of equals the largest."""
    return min(range(max(most // 2, 1), min(most, rows) + 1), key=lambda n: (-(-rows // n) * (n + 2), -n))
