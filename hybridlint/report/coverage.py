"""The parts that a run did not check fully: cut functions, unparsed or failed files, blocks that did not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.core.coverage import BLOCK_NOT_RUN, CUT_OFF, FILE_NOT_READ, UNPARSABLE
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.core.result import Result


@record(frozen=True, slots=True)
class CoverageGaps:
    """The numbers of functions, files and blocks that a run did not look at whole."""

    functions: int
    files: int
    blocks: int

    @property
    def sentence(self) -> str:
        """One line with the numbers, and an empty text without gaps."""
        told = (
            (self.functions, "function cut off", "functions cut off"),
            (self.files, "file not read", "files not read"),
            (self.blocks, "block not run", "blocks not run"),
        )
        parts = [f"{number} {one if number == 1 else many}" for number, one, many in told if number]
        return f"Not covered: {', '.join(parts)}.\n" if parts else ""


def coverage_gaps(results: Sequence[Result]) -> CoverageGaps:
    """Return the gaps of a run, as its findings, failures and proofs tell them."""
    names = [found.name for result in results for found in result.diagnostics]
    unread = [one for one in results if one.failure or any(found.name == UNPARSABLE for found in one.diagnostics)]
    gaps = [outcome.coverage for result in results for outcome in result.proof]
    return CoverageGaps(names.count(CUT_OFF), len(unread) + gaps.count(FILE_NOT_READ), gaps.count(BLOCK_NOT_RUN))
