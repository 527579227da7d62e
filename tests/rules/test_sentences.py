"""Sentences of messages that depend on what the code is: asserts, functions of control flow, sole inputs."""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "from mxnet import nd\nfrom mxnet.gluon import nn\n\n\nclass Net(nn.HybridBlock):\n"


def _said(body: str) -> list[str]:
    found = analyze_file(SourceFile(Path("net.py"), HEAD + body))
    return [f"{finding.message} / {finding.help}" for finding in found]


def test_an_assert_on_the_kind_of_array_raises() -> None:
    (said,) = _said("    def hybrid_forward(self, F, x):\n        assert F is nd\n        return x * 2\n")
    assert said.startswith("`assert F is nd` raises AssertionError once hybridized: only eager runs pass it / ")


def test_a_sole_input_is_kept() -> None:
    init = "    def __init__(self):\n        super().__init__()\n        self.w = self.params.get('w', shape=(2,))\n\n"
    (said,) = _said(init + "    def hybrid_forward(self, F, x, w):\n        return F.identity(w)\n")
    assert said.endswith(" / Keep one argument: the block is traced by an input, though its graph has none.")


def test_gradients_of_a_branch_may_be_wrong() -> None:
    call = "F.contrib.cond(x.sum() > 0, lambda: x * 2, lambda: F.zeros_like(x))"
    (said,) = _said(f"    def hybrid_forward(self, F, x):\n        return {call}\n")
    assert "of `cond`: backward raises or gives wrong gradients once hybridized, as no gradient passes" in said
