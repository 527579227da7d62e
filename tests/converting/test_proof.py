"""Conversions proved by running both sides."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hybridlint.converting.proof import convert_and_prove
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.proving.settings import ProofSettings
from hybridlint.text.source import SourceFile

MODULES = Path(__file__).parent / "modules"
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


def _proved(name: str) -> dict[str, ProofStatus]:
    conversion = convert_and_prove(SourceFile.read(MODULES / name), ProofSettings())
    return {outcome.block: outcome.status for outcome in conversion.outcomes}


@needs_torch
def test_a_residual_network_is_proved() -> None:
    assert _proved("resnet_block.py") == {"BasicBlock": ProofStatus.PROVED, "SmallResNet": ProofStatus.PROVED}


_NARROW = """
from mxnet import gluon
from mxnet.gluon import nn


class Net(gluon.HybridBlock):
    def __init__(self, units=4, depth=1, **kwargs):
        super().__init__(**kwargs)
        self.body = nn.HybridSequential()
        for i in range(depth):
            self.body.add(nn.LayerNorm(), nn.Dense(units, flatten=False))

    def hybrid_forward(self, F, x):
        return self.body(x)
"""


@needs_torch
def test_other_numbers_in_the_constructor_are_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from hybridlint.converting import proof, source

    plain = source.convert_source

    def narrow(*arguments: object) -> object:
        module = plain(*arguments)  # type: ignore[arg-type]
        object.__setattr__(module, "text", module.text.replace("if i == 0 else units", "if i == 0 else 4"))
        return module

    path = tmp_path / "net.py"
    path.write_text(_NARROW, encoding="utf-8")
    (right,) = convert_and_prove(SourceFile.read(path), ProofSettings()).outcomes
    assert right.status is ProofStatus.PROVED
    monkeypatch.setattr(proof, "convert_source", narrow)
    (wrong,) = convert_and_prove(SourceFile.read(path), ProofSettings()).outcomes
    assert (wrong.status, wrong.reason[:22]) == (ProofStatus.REFUTED, "with units=8, depth=2:")


@needs_torch
@pytest.mark.parametrize("name", ["states.py", "further_losses.py"])
def test_blocks_are_proved(name: str) -> None:
    outcomes = _proved(name)
    assert outcomes
    assert set(outcomes.values()) == {ProofStatus.PROVED}


@needs_torch
def test_random_numbers_are_the_same_on_both_sides() -> None:
    assert _proved("vae.py") == {"VAE": ProofStatus.PROVED}


@needs_torch
def test_a_difference_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    from hybridlint.converting import proof, source

    plain = source.convert_source

    def wrong(*arguments: object) -> object:
        module = plain(*arguments)  # type: ignore[arg-type]
        object.__setattr__(module, "text", module.text.replace("F.relu(self.fc2(x))", "torch.tanh(self.fc2(x))"))
        object.__setattr__(module, "text", module.text.replace("import torch.nn", "import torch\nimport torch.nn"))
        return module

    monkeypatch.setattr(proof, "convert_source", wrong)
    assert _proved("mlp.py") == {"MLP": ProofStatus.REFUTED}


def test_without_torch_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    from hybridlint.converting import proof

    monkeypatch.setattr(proof, "has_torch", lambda: False)
    conversion = convert_and_prove(SourceFile.read(MODULES / "mlp.py"), ProofSettings())
    assert [outcome.status for outcome in conversion.outcomes] == [ProofStatus.NOT_RUN]
    # The run on the bundled runtime shows sizes all the same.
    assert "self.fc2 = nn.Linear(hidden, hidden // 2)" in conversion.text
