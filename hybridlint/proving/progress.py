"""Receivers of the progress of proofs."""

from __future__ import annotations

from pathlib import Path


class Progress:
    """Receives the progress of a proof, for a display; this base class shows nothing."""

    #: Whether the progress is displayed.
    shown = False

    def expect(self, blocks: int) -> None:
        """Add to the number of expected blocks; the number may be negative."""

    def __call__(self, path: Path, block: str) -> None:
        """Report that work on a block of a file has begun."""
