"""What is kept of proofs of whole packages, and the section of the page that it makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

from . import page, unaided


def _outcome(block: str, status: ProofStatus, reason: str) -> ProofOutcome:
    return ProofOutcome(Path("net.py"), block, 1, status, reason)


OUTCOMES = [
    _outcome("Good", ProofStatus.PROVED, "compiled = eager"),
    _outcome("Bad", ProofStatus.REFUTED, "compiled: output differs"),
    _outcome("Base", ProofStatus.NOT_RUN, "it is abstract: neither hybrid_forward nor forward is defined"),
    _outcome(
        "Odd", ProofStatus.NOT_RUN, "no inputs were found on which it runs eagerly (3 tried); on x | y: " + "z" * 500
    ),
]


def test_what_is_kept() -> None:
    kept = unaided.kept(OUTCOMES)
    assert kept["Good"] == {"status": "proved"}
    assert kept["Bad"] == {"status": "refuted", "reason": "compiled: output differs"}
    assert kept["Odd"]["reason"].endswith("zzz...")


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("no inputs were found on which it runs eagerly (74 tried); on x (N, 4): NotImplementedError", 0),
        ("it overrides forward, which hybridize() never compiles", 1),
        ("the engine of the proof cannot run this: AttributeError: no (MXNet 1.9.1 does not have it either)", 4),
        ("the engine of the proof cannot run this: AttributeError: no", 5),
        ("constructor argument `x` cannot be guessed; the likeliest guess fails: TypeError: no", 7),
        ("Net() fails: ValueError: no", 7),
        ("no inputs were found on which it runs eagerly (4 tried); on x (N, 4): ValueError: no", 8),
    ],
)
def test_kinds(reason: str, kind: int) -> None:
    assert unaided.kind(reason) == unaided.KINDS[kind][0]
    assert unaided.kind("who knows") == "another reason"


def test_shares() -> None:
    text = unaided.text({"net 1.0": {"net.py": unaided.kept(OUTCOMES)}})
    assert "| net 1.0 | 1 | 4 | 1 | 1 | 2 | 50 % | **67 %** |" in text
    assert (
        "| no inputs (1) | `Odd` (net.py) | no inputs were found on which it runs eagerly (3 tried); on x \\| y" in text
    )
    assert "| refuted (1) | `Bad` (net.py) | compiled: output differs |" in text
    assert "`Good`" not in text


@pytest.mark.skipif(not page.PAGE.exists(), reason="runs in a checkout only")
def test_the_page_is_up_to_date() -> None:
    up_to_date = unaided.text(unaided.load()).strip() in page.PAGE.read_text(encoding="utf-8")
    assert up_to_date, "docs/projects.md is old: `python -m tests.projects.unaided` writes it anew"
