"""Expressions that nest deep are proved, or a sentence says what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.worker import Worker
from hybridlint.proving.prover import prove_file
from hybridlint.proving.settings import ProofSettings

TEXT = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    # hybridlint: verify(x=("N", 4))
    def hybrid_forward(self, F, x):
        return {terms}
"""


def proved(folder: Path, terms: int) -> ProofOutcome:
    path = folder / "net.py"
    path.write_text(TEXT.format(terms=" + ".join(["x"] * terms)))
    (outcome,) = prove_file(path, path.read_text(), None, ProofSettings(samples=1, timeout=60))
    return outcome


@pytest.mark.skipif(sys.version_info < (3, 11), reason="calls of Python functions take stack there")
def test_a_sum_of_many_terms_is_proved(tmp_path: Path) -> None:
    assert proved(tmp_path, 500).status is ProofStatus.PROVED


def test_a_sum_that_no_python_reads_says_so(tmp_path: Path) -> None:
    outcome = proved(tmp_path, 200_000)
    assert outcome.status is ProofStatus.NOT_RUN
    assert "nested too deeply" in outcome.reason


def test_code_that_is_nested_too_deeply_for_the_proof_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker.__new__(Worker)
    worker.task, worker.names = {"path": "net.py"}, ["Net"]

    def fail(*_: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(Worker, "case", fail)
    outcome = worker._judged("Net", None, None)  # type: ignore[arg-type]
    assert outcome["reason"] == "its code is nested too deeply to be read for the proof"
    assert outcome["add"] == "Give parts of its longest expression names of their own."
