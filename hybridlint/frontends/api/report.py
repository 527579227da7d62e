"""The report of a proof of a block instance, for programs and people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hybridlint.core.proof_outcome import FirstDivergence, ProofStatus, ReportedDifference, VariantResult, read_outcome
from hybridlint.runtime.facts.records import record


@record(frozen=True)
class Report:
    """The outcome for one block; true if the block is proved.

    `reason` is the explanation in one sentence. For a refuted block, `variant` names the run that differs from the
    eager one, `call` the first call that differs, `difference` the largest difference, and `parting` the line and
    operator. `variants` lists the runs that agreed; `inputs` describes the inputs.
    """

    block: str
    status: ProofStatus
    reason: str
    inputs: str = ""
    variant: str | None = None
    call: str | None = None
    difference: ReportedDifference | None = None
    parting: FirstDivergence | None = None
    variants: tuple[VariantResult, ...] = ()
    runs: int = 0
    row: int | None = None
    path: Path | None = None

    def __bool__(self) -> bool:
        """Whether the block is proved."""
        return self.status is ProofStatus.PROVED

    def __str__(self) -> str:
        """Return the report as a few lines for people."""
        return "\n  ".join([f"{self.block} is {self._status}: {self.reason}", *self._lines()])

    @property
    def _status(self) -> str:
        return {ProofStatus.PROVED: "proved", ProofStatus.REFUTED: "refuted", ProofStatus.NOT_RUN: "not proved"}[
            self.status
        ]

    def _lines(self) -> Iterator[str]:
        place = "" if self.path is None else f" of {self.path}"
        if self.row is not None and self.parting is None:
            yield f"in line {self.row}{place}"
        if self.difference is not None and str(self.difference):
            yield str(self.difference)
        if self.parting is not None:
            yield f"{self.parting}{f' ({self.path})' if self.path is not None else ''}"
        if self.inputs:
            yield f"on {self.inputs}" + (f"; {self.call}" if self.call else "")
        agreed = [ran.name for ran in self.variants if ran.note is None]
        if self.runs:
            yield f"{self.runs} calls, each eager and {', '.join(agreed)}"
        yield from (f"{ran.name}: {ran.note}" for ran in self.variants if ran.note is not None)


def read_report(block: str, path: Path | None, inputs: str, verdict: Mapping[str, Any]) -> Report:
    """Return the report for the verdict of a proof."""
    outcome = read_outcome(path or Path(), block, 0, verdict)
    return Report(
        block=block,
        status=outcome.status,
        reason=outcome.reason,
        inputs=inputs,
        variant=outcome.variant,
        call=outcome.call,
        difference=outcome.difference,
        parting=outcome.parting,
        variants=outcome.variants,
        runs=outcome.runs,
        row=outcome.failed_row,
        path=path,
    )
