"""``mx.engine``: bulk execution of operators. Operators run immediately here, so the setting has no effect."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_bulk_size = 0


def set_bulk_size(size: int) -> int:
    """Store the bulk size, which has no effect, and return the previous one."""
    global _bulk_size
    before, _bulk_size = _bulk_size, size
    return before


@contextlib.contextmanager
def bulk(size: int) -> Iterator[None]:
    """Set the bulk size inside a ``with`` block."""
    before = set_bulk_size(size)
    try:
        yield
    finally:
        set_bulk_size(before)
