"""Refuted fixes are taken back, and only they."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from hybridlint.checking.checker import Job, check, refixing
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.proving import fixes as proof

TEXT = """\
from mxnet.gluon import HybridBlock


class A(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return F.relu(x)


class B(HybridBlock):
    def hybrid_forward(self, F, x):
        x -= 1
        return F.relu(x)
"""
CONFIG = Config(root=Path())


def _prove(monkeypatch: pytest.MonkeyPatch, faults: Mapping[tuple[str, str], bool]) -> Result:
    """Prove TEXT; `faults` says which text refutes a block while it is there, and whether a fix can be at fault."""

    def answer(
        path: Path, before: str, after: str, settings: Any, *, blocks: Collection[str] | None = None, **_: Any
    ) -> list[ProofOutcome]:
        outcomes = []
        for block in ("A", "B") if blocks is None else sorted(blocks):
            found = [fault for (name, text), fault in faults.items() if name == block and text in after]
            status = ProofStatus.REFUTED if found else ProofStatus.PROVED
            outcomes.append(
                ProofOutcome(path, block, {"A": 4, "B": 10}[block], status, "for the test", fault=any(found))
            )
        return outcomes

    monkeypatch.setattr(proof, "prove_file", answer)
    job = Job(Path("net.py"), TEXT.encode(), CONFIG, fix=True)
    [proved] = proof.prove([check(job)], [CONFIG], [refixing(job)], unsafe=False)
    return proved


def _after(result: Result) -> str:
    assert result.fixed is not None
    return result.fixed.after


def test_what_is_proved_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _prove(monkeypatch, {})
    assert "x = x + 1" in _after(result)
    assert [outcome.status for outcome in result.proof] == [ProofStatus.PROVED, ProofStatus.PROVED]


def test_a_refuted_fix_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _prove(monkeypatch, {("A", "x = x + 1"): True})
    assert _after(result) == TEXT.replace("x -= 1", "x = x - 1")
    assert ("A", ProofStatus.REFUTED) in [(outcome.block, outcome.status) for outcome in result.proof]
    assert ("B", ProofStatus.PROVED) in [(outcome.block, outcome.status) for outcome in result.proof]
    assert [diagnostic.location.row for diagnostic in result.diagnostics] == [6]
    assert result.fixed is not None
    assert [(drop.code, drop.row) for drop in result.fixed.dropped] == [("HYB302", 6)]


def test_what_was_as_wrong_before_is_not_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "x = x + 1" in _after(_prove(monkeypatch, {("A", "x = x + 1"): False}))


def test_a_fix_in_another_class_can_be_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _prove(monkeypatch, {("A", "x = x - 1"): True})
    assert "x -= 1" in _after(result)
