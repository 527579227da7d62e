"""Attributes that a ``forward`` stores at each call, in the class or above it, and the graph keeps from its trace."""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "from mxnet import autograd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
BASE = """\
class Modal(HybridBlock):
    def {method}(self, *args):
        self.training = {value}
        return super().{method}(*args)


"""
HEIR = """\
class Head(Modal):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)

    def hybrid_forward(self, F, x):
        return self.post(F, self.fc(x))

    def post(self, F, x):
        return x if self.training else F.softmax(x)
"""


def rows(text: str) -> list[tuple[str, int]]:
    found = analyze_file(SourceFile(Path("net.py"), text))
    return [(finding.rule.code, finding.node.lineno) for finding in found]  # type: ignore[attr-defined]


def read_in(text: str) -> int:
    return next(row for row, line in enumerate(text.splitlines(), 1) if "if self.training" in line)


def test_a_base_stores_it_around_every_call() -> None:
    for method in ("forward", "__call__"):
        text = HEAD + BASE.format(method=method, value="autograd.is_training()") + HEIR
        assert ("HYB604", read_in(text)) in rows(text)


def test_a_constant_is_the_same_in_each_call() -> None:
    assert rows(HEAD + BASE.format(method="forward", value="True") + HEIR) == []
