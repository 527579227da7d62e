"""Facts from the proofs of drafts that let another draft of the file do better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from hybridlint.core.proof_outcome import ProofOutcome as Proof
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.hybridizing.broadcasting import Unequal, unequal
from hybridlint.hybridizing.draft import Draft
from hybridlint.hybridizing.proof import outcome_of
from hybridlint.runtime.facts.records import record


@record()
class Doubts:
    """The facts that the drafts of a file have shown so far.

    The fixes of possible findings are applied in the doubted `classes`, and the operators in `unequal` broadcast.
    `asked` are the classes for whose sake the latest draft is made.
    """

    classes: set[str] = field(default_factory=set)
    unequal: set[Unequal] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    #: All operators that were made to broadcast in any draft, and the classes that a draft without them did not refute.
    tried: set[Unequal] = field(default_factory=set)
    sound: set[str] = field(default_factory=set)

    def learn(self, made: Draft, proofs: Mapping[str, Proof]) -> bool:
        """Take in the proofs of a draft; return whether another draft is to be made."""
        shown = {name: proof for name, proof in proofs.items() if name in made.chosen}
        if not self.unequal:
            self.sound |= {name for name, proof in shown.items() if proof.status is not ProofStatus.REFUTED}
        refuted = {name for name, proof in shown.items() if proof.status is ProofStatus.REFUTED} & self.sound
        if self.unequal and refuted:
            # One of the operands was a number, which no function that broadcasts takes.
            self.unequal, self.asked = set(), refuted
            return True
        places = {name: unequal(proof, made.after) for name, proof in shown.items()}
        new = {name: place for name, place in places.items() if place is not None and place not in self.tried}
        if new:
            self.unequal |= set(new.values())
            self.tried |= set(new.values())
            self.asked = set(new)
            return True
        # The row of an outcome is of no interest here.
        failing = {name for name, proof in shown.items() if outcome_of(name, 1, proof, made).failing} - self.classes
        self.classes |= failing
        self.asked = failing
        return bool(failing)
