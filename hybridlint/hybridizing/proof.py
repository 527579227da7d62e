"""The outcome of a draft, read from its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.core.proof_outcome import BY_HAND, BY_HAND_OR_UNSAFE
from hybridlint.core.proof_outcome import ProofOutcome as Proof
from hybridlint.core.proof_outcome import ProofStatus as Proved
from hybridlint.hybridizing.outcome import ConversionOutcome, ConversionStatus, Reason, Speed
from hybridlint.runtime.facts.records import replace
from hybridlint.text.rows import rows_between

if TYPE_CHECKING:
    from hybridlint.hybridizing.draft import Draft


def outcome_of(name: str, row: int, proof: Proof | None, draft: Draft) -> ConversionOutcome:
    """Return the outcome for a converted class or function, given its proof.

    Without a proof (None) the outcome is "not proved". `row` is the row of its definition.
    """
    left, notes = draft.left.get(name, ()), draft.notes.get(name, ())
    plain = ConversionOutcome(draft.before.path, name, row, ConversionStatus.UNPROVED, left, notes=notes)
    if proof is None:
        return plain
    plain = replace(plain, unrun=proof.status is Proved.NOT_RUN)
    reason = Reason(proof.reason, _row(proof, draft) or row)
    if proof.status is Proved.PROVED:
        return _proved(plain, proof)
    if proof.status is Proved.REFUTED and (proof.fault or proof.add is None):
        return _refuted(plain, proof, reason)
    if proof.add in {BY_HAND, BY_HAND_OR_UNSAFE}:
        # The eager runs agreed.
        return replace(plain, status=ConversionStatus.PART, reasons=left or (reason,), failing=not left)
    if left:
        unknown = f"only a part can be hybridized, and no run shows that it is the same eagerly: {reason.text}"
        return replace(plain, status=ConversionStatus.IMPOSSIBLE, reasons=(*left, Reason(unknown, reason.row)))
    advice = f"; {proof.add[0].lower()}{proof.add[1:]}" if proof.add else ""
    return replace(plain, reasons=(Reason(f"the proof cannot run: {reason.text}{advice}", reason.row),))


def _proved(plain: ConversionOutcome, proof: Proof) -> ConversionOutcome:
    proven = replace(plain, proof=proof.reason, setup=proof.setup or "")
    if plain.reasons:
        # The remaining findings are on lines that the proof did not execute, or it would have failed.
        return replace(proven, status=ConversionStatus.PART)
    return replace(
        proven, status=ConversionStatus.PROVED, speed=None if proof.seconds is None else Speed(*proof.seconds)
    )


def _refuted(plain: ConversionOutcome, proof: Proof, reason: Reason) -> ConversionOutcome:
    judged = replace(plain, setup=proof.setup or "")
    if "float16" in (proof.variant or ""):
        return replace(judged, status=ConversionStatus.PART, reasons=(*plain.reasons, reason))
    refuted = Reason(f"the proof refutes it: {reason.text}", reason.row)
    return replace(judged, status=ConversionStatus.IMPOSSIBLE, reasons=(refuted,))


def _row(proof: Proof, draft: Draft) -> int | None:
    """Return the row of a proof's failure in the file before the conversion, None if the proof names no row."""
    if proof.failed_row is None:
        return None
    return rows_between(draft.after.text, draft.before.text)(proof.failed_row)
