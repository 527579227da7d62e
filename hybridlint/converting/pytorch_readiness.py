"""How far the blocks of a project can go to PyTorch, class by class, by their source alone."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from hybridlint.converting.facts import ModuleFacts
from hybridlint.converting.source import NO_BASE, convert_source
from hybridlint.proving.blocks import first_row
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile

#: How a reason ends that a run of the block may settle.
_OPEN = "is not known"


class LeavingState(Enum):
    """How much of a block `convert` can write as PyTorch code."""

    WHOLE = "whole"
    AFTER_RUN = "after a run"
    PARTLY = "partly"
    NOT = "not"


@record(frozen=True, slots=True)
class Leaving:
    """A block, how much of it can become PyTorch code, and the reason for each line that cannot."""

    path: Path
    block: str
    row: int
    state: LeavingState
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "filename": str(self.path),
            "block": self.block,
            "row": self.row,
            "state": self.state.value,
            "reasons": list(self.reasons),
        }


def leaving_blocks(sources: Sequence[SourceFile]) -> list[Leaving]:
    """Return how much of each block of some files can become PyTorch code, without running them."""
    return [each for source in sources for each in _of_file(source)]


def _of_file(source: SourceFile) -> list[Leaving]:
    module = convert_source(source, None, ModuleFacts(assumes_sizes=True))
    found = []
    for name in module.blocks:
        problems = [problem for problem in module.problems if problem.owner == name]
        reasons = tuple(f"line {problem.row}: {problem.reason}" for problem in problems)
        state = LeavingState.WHOLE
        if problems:
            open_ = all(problem.reason.endswith(_OPEN) for problem in problems)
            state = LeavingState.AFTER_RUN if open_ else LeavingState.PARTLY
        found.append(Leaving(source.path, name, first_row(source, name), state, reasons))
    for each in module.left_out:
        if each.reason.startswith(NO_BASE):
            row = first_row(source, each.owner)
            found.append(Leaving(source.path, each.owner, row, LeavingState.NOT, (each.reason,)))
    return sorted(found, key=lambda each: each.row)
