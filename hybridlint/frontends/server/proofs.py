"""The outcomes of the proofs that a user asked for, as long as they speak of the text in the editor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from hybridlint.core.diagnostic import SourceLocation
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.frontends.server.convert import SOURCE, Text
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.core.proof_outcome import ProofOutcome

PROVE = f"{SOURCE}.prove"
_LONGEST = 100
_SEVERITIES = {ProofStatus.REFUTED: types.DiagnosticSeverity.Error}


@record(frozen=True, slots=True)
class _Proof:
    """A proof of a block of a text; its outcome is None while it runs."""

    text: str
    outcome: ProofOutcome | None = None


class Proofs:
    """Keeps the last proof of each block of the open documents; one of another text counts no more."""

    def __init__(self) -> None:
        self._proofs: dict[str, dict[str, _Proof]] = {}

    def begin(self, uri: str, block: str, text: str) -> None:
        """Note that the proof of a block runs."""
        self._proofs.setdefault(uri, {})[block] = _Proof(text)

    def end(self, uri: str, block: str, text: str, outcome: ProofOutcome | None) -> None:
        """Note the outcome of the proof of a block; None if it could not begin."""
        if outcome is None:
            self._proofs.get(uri, {}).pop(block, None)
        else:
            self._proofs.setdefault(uri, {})[block] = _Proof(text, outcome)

    def forget(self, uri: str) -> None:
        """Forget the proofs of a document that is closed."""
        self._proofs.pop(uri, None)

    def title(self, uri: str, block: str, text: str) -> str:
        """Return the text above a block: the offer to prove it, or the outcome."""
        proof = self._proofs.get(uri, {}).get(block)
        if proof is None or proof.text != text:
            return "prove this block"
        if proof.outcome is None:
            return "proving this block ..."
        told = f"{proof.outcome.status.value}: {proof.outcome.reason}"
        return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 3]}..."

    def diagnostics(self, uri: str, text: Text) -> Iterator[types.Diagnostic]:
        """Yield the outcomes that are no proof, each at the line that raised or at the class."""
        whole = "".join(text.lines)
        for proof in list(self._proofs.get(uri, {}).values()):
            outcome = proof.outcome
            if outcome is None or proof.text != whole or outcome.status is ProofStatus.PROVED:
                continue
            yield types.Diagnostic(
                range=_line(outcome.failed_row or outcome.row, text),
                message=message(outcome),
                severity=_SEVERITIES.get(outcome.status, types.DiagnosticSeverity.Information),
                code=outcome.status.value,
                source=f"{SOURCE} proof",
            )


def message(outcome: ProofOutcome) -> str:
    """Return the outcome of a proof as a message."""
    line = "" if outcome.failed_row is None else f" (line {outcome.failed_row})"
    difference = "" if outcome.difference is None else f" {outcome.difference}"
    more = f" {outcome.add}" if outcome.add else ""
    return f"{outcome.block}: {outcome.status.value}: {outcome.reason}{line}.{difference}{more}"


def _line(row: int, text: Text) -> types.Range:
    """Return the range of a row without its indentation."""
    line = text.lines[row - 1].rstrip() if row <= len(text.lines) else ""
    start = len(line) - len(line.lstrip())
    return text.span(SourceLocation(row, start + 1), SourceLocation(row, len(line) + 1))
