"""Variables of the environment: a graph keeps what they held when it was traced."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.changes import environment

Prove = Callable[..., dict[str, ProofOutcome]]


def test_what_is_read_is_noted() -> None:
    with environment.watch_environment() as read:
        os.environ.get("HYBRIDLINT_TEST_ONE")
        os.getenv("HYBRIDLINT_TEST_TWO", "0")
        assert "HYBRIDLINT_TEST_THREE" not in os.environ
    os.environ.get("HYBRIDLINT_TEST_FOUR")
    assert read == ["HYBRIDLINT_TEST_ONE", "HYBRIDLINT_TEST_TWO", "HYBRIDLINT_TEST_THREE"]


def test_a_variable_gets_a_value_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDLINT_TEST", "fast")
    assert environment.changes_of("HYBRIDLINT_TEST")[0].value == "1"
    monkeypatch.setenv("HYBRIDLINT_TEST", "0.5")
    assert environment.changes_of("HYBRIDLINT_TEST")[0].value == "2"


def test_a_block_that_reads_the_environment_in_each_call_is_refuted(prove: Prove) -> None:
    found = prove(
        """
        class Entropy(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * float(os.environ.get("HYBRIDLINT_TEST_COEFFICIENT", "0.01"))

        class AtConstruction(gluon.HybridBlock):
            def __init__(self):
                super().__init__()
                self.coefficient = float(os.environ.get("HYBRIDLINT_TEST_COEFFICIENT", "0.01"))

            def hybrid_forward(self, F, x):
                return x * self.coefficient
        """
    )
    assert found["Entropy"].status is ProofStatus.REFUTED
    assert "HYBRIDLINT_TEST_COEFFICIENT is set to 0.5" in (found["Entropy"].call or "")
    assert found["AtConstruction"].status is ProofStatus.PROVED
    assert "HYBRIDLINT_TEST_COEFFICIENT" not in os.environ
