"""The outcome of hybridizing one class or network."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Any

from hybridlint.core.coverage import BLOCK_NOT_RUN
from hybridlint.runtime.facts.records import record


class ConversionStatus(Enum):
    """The result of converting a block."""

    PROVED = "hybridized and proved"
    UNPROVED = "hybridized, not proved"
    PART = "hybridized in part"
    IMPOSSIBLE = "not possible"

    @property
    def safe(self) -> bool:
        """Whether `--fix` writes the result without `--unsafe-fixes`."""
        return self is ConversionStatus.PROVED


@record(frozen=True, slots=True)
class Reason:
    """A sentence about a row of the file before the conversion."""

    text: str
    row: int

    def __str__(self) -> str:
        return f"{self.text} (line {self.row})"


@record(frozen=True, slots=True)
class Speed:
    """Seconds of one call on the proof's inputs: the old block run eagerly, and the new one compiled."""

    before: float
    after: float

    @property
    def factor(self) -> float:
        """How many times faster the new block is."""
        return self.before / self.after


@record(frozen=True, slots=True)
class ConversionOutcome:
    """The result for one class, or for one function that builds a network, in the file `path`.

    `reasons` say why the conversion is not possible, what remains to be done, or why there is no proof; the first is
    the main one. `proof` says which runs agree, and `setup` how the proof built and called the block. `notes` say what
    else changes for users of the class.
    """

    path: Path
    block: str
    row: int
    status: ConversionStatus
    reasons: tuple[Reason, ...] = ()
    proof: str = ""
    setup: str = ""
    speed: Speed | None = None
    notes: tuple[str, ...] = ()
    #: Whether the converted block has no findings and still fails in the proof when it is hybridized.
    failing: bool = False
    #: Whether a proof was due and the block was not run.
    unrun: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        return {
            "filename": str(self.path),
            "block": self.block,
            "row": self.row,
            "status": self.status.value,
            "reasons": [asdict(reason) for reason in self.reasons],
            "proof": self.proof,
            "setup": self.setup,
            "speed": None if self.speed is None else asdict(self.speed),
            "notes": list(self.notes),
            "coverage": BLOCK_NOT_RUN if self.unrun else None,
        }
