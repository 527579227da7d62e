"""``mx.engine``: how many operators run as one piece. Operators run at once here, so that nothing is to be set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_bulk_size = 0


def set_bulk_size(size: int) -> int:
    """Keep a limit of operators in one piece, which has no effect, and return what it was."""
    global _bulk_size
    before, _bulk_size = _bulk_size, size
    return before


@contextlib.contextmanager
def bulk(size: int) -> Iterator[None]:
    """Set the limit inside a with block."""
    before = set_bulk_size(size)
    try:
        yield
    finally:
        set_bulk_size(before)
