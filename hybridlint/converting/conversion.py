"""The result of a conversion: the new text, what has no counterpart, and the proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.converting.problems import Problem
from hybridlint.converting.source import ConvertedModule
from hybridlint.core.proof_outcome import ProofOutcome
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class Conversion:
    """A converted module or network with the outcome of each of its blocks."""

    text: str
    blocks: tuple[str, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[Problem, ...]
    outcomes: tuple[ProofOutcome, ...]

    @classmethod
    def of_module(cls, module: ConvertedModule, outcomes: Sequence[ProofOutcome]) -> Conversion:
        """Return the result for a module."""
        return cls(module.text, module.blocks, module.problems, module.left_out, tuple(outcomes))

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "text": self.text,
            "blocks": list(self.blocks),
            "problems": [{"row": each.row, "owner": each.owner, "reason": each.reason} for each in self.problems],
            "left_out": [{"name": each.owner, "reason": each.reason} for each in self.left_out],
            "proof": [outcome.to_json() for outcome in self.outcomes],
        }
