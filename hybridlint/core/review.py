"""A proposed change and the user's answer."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.core.proof_outcome import ProofOutcome


class Answer(Enum):
    """The user's answer to a proposed change."""

    YES = "yes"
    NO = "no"
    ALL = "all"
    SPLIT = "split"
    QUIT = "quit"


@record(frozen=True, slots=True)
class ProposedChange:
    """Fixes of one class of a file ("" outside all classes), and what they change beside those accepted before.

    `proof` holds the outcomes of the class, if these are all of its fixes and they were proved.
    """

    path: Path
    block: str
    codes: tuple[str, ...]
    before: str
    after: str
    proof: tuple[ProofOutcome, ...]


Ask = Callable[[ProposedChange], Answer]
