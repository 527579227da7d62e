"""Watches a run: the attributes that it reads of objects, and the methods that read them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType


class WatchedReads:
    """The attributes read of the watched objects, methods among them, and the code that read them."""

    def __init__(self) -> None:
        self._names: dict[int, set[str]] = {}
        self.codes: set[CodeType] = set()

    def of(self, value: Any) -> Collection[str]:
        """Return the attributes that were read of an object."""
        return self._names.get(id(value), set())

    def note(self, value: Any, name: str, code: CodeType) -> None:
        """Note that code has read an attribute."""
        self._names.setdefault(id(value), set()).add(name)
        self.codes.add(code)


@contextmanager
def watch_reads(kinds: Collection[type]) -> Iterator[WatchedReads]:
    """Yield the reads of the instances of some classes inside the context."""
    reads = WatchedReads()
    plain = {kind: vars(kind).get("__getattribute__") for kind in kinds}
    for kind in kinds:
        kind.__getattribute__ = _noting(kind.__getattribute__, reads)  # type: ignore[method-assign]
    try:
        yield reads
    finally:
        for kind, own in plain.items():
            if own is None:
                del kind.__getattribute__
            else:
                kind.__getattribute__ = own  # type: ignore[method-assign]


def _noting(plain: Any, reads: WatchedReads) -> Any:
    def noting(self: Any, name: str) -> Any:
        if not (name.startswith("__") and name.endswith("__")):
            reads.note(self, name, sys._getframe(1).f_code)
        return plain(self, name)

    return noting
