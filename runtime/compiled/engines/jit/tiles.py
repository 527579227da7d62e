"""The size of the micro-tile of a matrix product: as many sums as the registers hold."""

from __future__ import annotations

from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor

#: So many sums at least are computed at once, as a processor begins several before it has finished the first.
_LEAST = 8


def tile_of(target: TargetProcessor, rows: int, columns: int, vectors: int | None = None) -> tuple[int, int]:
    """Return the rows and the vectors of a tile for a product of this size; the vectors may be given."""
    most, wide = target.tile
    sums = most * wide
    needed = -(-columns // target.lanes)
    if vectors is None:
        vectors = max(1, min(max(wide, -(-_LEAST // rows)), sums // min(rows, most), needed))
    return _even(rows, sums // vectors), vectors


def _even(rows: int, most: int) -> int:
    """Return the number of rows, at most `most`, that leaves the fewest over; of equals the largest."""
    return min(range(max(min(most, rows) // 2, 1), min(most, rows) + 1), key=lambda n: (-(-rows // n) * (n + 2), -n))
