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

    def judged(self, path: Path, block: str, outcome: str) -> None:
        """Report the final outcome of a block, in a word or two."""

    def stage(self, text: str) -> None:
        """Report which part of the work is done now, such as a file among many."""


@dataclass(slots=True)
class DisplayedProgress(Progress):
    """Shows which block was started last, and the number of blocks.

    `show` gets a function that makes the text, which it calls only if it shows it; `name_of` names a file. `tell` gets
    a function that makes the line of each outcome.
    """

    shown = True

    show: Callable[[Callable[[], str]], None]
    name_of: Callable[[Path], str]
    tell: Callable[[Callable[[], str]], None] = lambda line: None
    _lock: Lock = field(default_factory=Lock)
    _expected: int = 0
    _begun: set[tuple[Path, str]] = field(default_factory=set)
    _stage: str = ""

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

            def text() -> str:
                proving = f"proving {number} of {of}: {block} ({self.name_of(path)})"
                return f"{self._stage}; {proving}" if self._stage else proving

            self.show(text)

    def judged(self, path: Path, block: str, outcome: str) -> None:
        """Tell the outcome of a block."""
        self.tell(lambda: f"{self.name_of(path)}: {block}: {outcome}")

    def stage(self, text: str) -> None:
        """Show the part of the work that begins, alone until a block is proved in it."""
        with self._lock:
            self._stage = text
            self.show(lambda: text)
