"""The outcome of hybridizing one class or network."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any


class Status(Enum):
    """What became of a block."""

    PROVED = "hybridized and proved"
    UNPROVED = "hybridized, not proved"
    PART = "hybridized in part"
    IMPOSSIBLE = "not possible"

    @property
    def safe(self) -> bool:
        """Whether `--fix` writes the result without `--unsafe-fixes`."""
        return self is Status.PROVED


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence and the row that it is about, in the file as it was before."""

    text: str
    row: int

    def __str__(self) -> str:
        return f"{self.text} (line {self.row})"


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds of one call of the old block, and of the new one compiled, on the inputs of the proof."""

    before: float
    after: float

    @property
    def factor(self) -> float:
        """How many times faster the new block is."""
        return self.before / self.after


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one class, or of one function that builds a network.

    `reasons` say why it is not possible, what is left, or why there is no proof: the first decides. `setup` says how
    the proof built and called the block. `notes` tell what else changes for users of the class.
    """

    path: Path
    block: str
    row: int
    status: Status
    reasons: tuple[Reason, ...] = ()
    proof: str = ""
    setup: str = ""
    speed: Speed | None = None
    notes: tuple[str, ...] = ()
    #: Whether the proof alone has found that the block fails once it is hybridized.
    failing: bool = False

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
        }
