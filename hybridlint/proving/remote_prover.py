"""The function that proves files on other machines, set while a command asks a cluster for its proofs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.core.proof_outcome import ProofOutcome

#: Called as `prove_file` is; None proves here.
prove: Callable[..., list[ProofOutcome]] | None = None
