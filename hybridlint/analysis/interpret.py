"""The interpreter's entry: a source file in, events out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.analysis.events import Event
    from hybridlint.source import SourceFile


def module_events(source: SourceFile) -> Iterator[Event]:
    """Yield the events of all hybrid code in a file. Raises SourceError where it does not parse."""
    assert source.tree
    yield from ()
