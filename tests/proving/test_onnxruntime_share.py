"""Proofs whose compiled side ONNX Runtime runs."""

from __future__ import annotations

import importlib.util

import pytest

from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.proving import engines

from .conftest import DENSE, Prove

BLOCKS = f"""
    {DENSE}
    class Wrong(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.sin(x[0])
    """


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("onnx", "onnxruntime"))), reason="the engine onnx needs the extra [onnx]"
)
def test_a_proof_says_how_much_of_the_graph_onnx_runtime_ran(prove: Prove) -> None:
    outcomes = prove(BLOCKS, engine="onnx")
    assert (outcomes["Net"].status, outcomes["Wrong"].status) == (ProofStatus.PROVED, ProofStatus.REFUTED)
    assert outcomes["Net"].reason == "compiled = eager, 3 of its 3 operators by ONNX Runtime"


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_PACKAGES", ("onnx", "no_such_package"))
    with pytest.raises(
        UsageError, match=r"^--engine onnx needs onnx and onnxruntime: pip install 'hybridlint\[onnx\]'"
    ):
        engines.choose_interpreter("onnx", None, {})
    assert engines.choose_interpreter("bundled", None, {}) is None
