"""Python's collector of cyclic garbage, at rest while graphs are made: they are many objects, all of which stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Return a context in which no cyclic garbage is collected; as before after it, also if it raises."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
