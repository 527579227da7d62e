"""Arrays in blocks that stay near the processor, for functions that go over each block several times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: So many elements a block has at most, unless a single row has more.
ELEMENTS = 1 << 16


def is_numpy(xp: Any) -> bool:
    """Return whether a kernel computes on numpy: neither on a GPU, nor while native code is written of it."""
    return getattr(xp, "__name__", None) == "numpy"


def rows_at_once(rows: int, width: int) -> int:
    """Return how many rows of `width` elements a block has."""
    return max(min(rows, ELEMENTS // width), 1)


def blocks(rows: int, most: int) -> Iterator[slice]:
    """Yield the slices of blocks of `most` rows each; the last one may have fewer."""
    return (slice(begin, min(begin + most, rows)) for begin in range(0, rows, most))


def in_memory_order(xp: Any, array: Any) -> Any:
    """View an array's elements as they follow each other; None for one whose elements lie apart, or in other orders."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    turned = xp.moveaxis(array, 1, -1) if array.ndim > 2 else array
    return turned.reshape(-1) if turned.flags.c_contiguous else None


def together(xp: Any, data: Any, out: Any) -> tuple[Any, Any]:
    """Return data and `out` in the same memory order, copying data if their orders differ."""
    place = in_memory_order(xp, out)
    given = in_memory_order(xp, data) if data.strides == out.strides else None
    if given is None:
        xp.copyto(out, data)
        given = place
    return given, place
