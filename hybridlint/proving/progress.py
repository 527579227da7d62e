"""Receivers of the progress of proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock


class Progress:
    """Receives the progress of a proof, for a display; this base class shows nothing."""

    #: Whether the progress is displayed.
    shown = False

    def expect(self, blocks: int) -> None:
        """Add to the number of expected blocks; the number may be negative."""

    def __call__(self, path: Path, block: str) -> None:
        """Report that work on a block of a file has begun."""


@dataclass(slots=True)
class DisplayedProgress(Progress):
    """Shows which block was started last, and the number of blocks.

    `show` gets a function that makes the text, which it calls only if it shows it; `name_of` names a file.
    """

    shown = True

    show: Callable[[Callable[[], str]], None]
    name_of: Callable[[Path], str]
    _lock: Lock = field(default_factory=Lock)
    _expected: int = 0
    _begun: set[tuple[Path, str]] = field(default_factory=set)

    def expect(self, blocks: int) -> None:
        """Add to the number of expected blocks."""
        with self._lock:
            self._expected += blocks

    def __call__(self, path: Path, block: str) -> None:
        """Show the block that work has begun on."""
        with self._lock:
            self._begun.add((path, block))
            number = len(self._begun)
            # Subclasses of hybrid classes are proved too, but are not counted in advance.
            of = max(self._expected, number)
            self.show(lambda: f"proving {number} of {of}: {block} ({self.name_of(path)})")
