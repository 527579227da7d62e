"""Where the time of proofs goes."""

from __future__ import annotations

from pathlib import Path

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.report.proof import slowest


def _outcome(name: str, took: float | None, runs: int = 0) -> ProofOutcome:
    return ProofOutcome(Path("net.py"), name, 1, ProofStatus.PROVED, "", took=took, runs=runs)


def test_short_proofs_are_not_spoken_of() -> None:
    assert slowest([_outcome("Net", 1.0), _outcome("Cached", None)]) == ""


def test_the_slowest_come_first() -> None:
    outcomes = [_outcome("Short", 0.5), _outcome("Long", 12.34, 18), *(_outcome(f"Net{n}", 2.0) for n in range(6))]
    first, second = slowest(outcomes).splitlines()
    assert first == "Time: Long 12.3 s, Net0 2.0 s, Net1 2.0 s, Net2 2.0 s, Net3 2.0 s, 3 more 4.5 s."
    assert second == ("Faster: smaller sizes in a directive, or fewer of its 18 calls (`samples` and `batch-sizes`).")
