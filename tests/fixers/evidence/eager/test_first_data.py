"""Blocks that keep what they compute from the data of their first call."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.evidence.eager.first_data import keeps_first_data
from hybridlint.text.source import SourceFile

TEXT = """\
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
        self.mean = {first}
        self.ready = False

    def learn(self, F, x):
        self.mean = F.stop_gradient(F.mean(x, axis=0))
        self.ready = True

    def hybrid_forward(self, F, x):
        {body}
        return self.fc(F.broadcast_sub(x, self.mean))
"""


def keeps(body: str, first: str = "None") -> bool:
    source = SourceFile(Path("net.py"), TEXT.format(body=body.replace("\n", "\n        "), first=first))
    stores = [event for event in module_events(source) if isinstance(event, SideEffect) and event.carried]
    return any(keeps_first_data(event.frame, event.node) for event in stores)


@pytest.mark.parametrize(
    "body",
    [
        "if self.mean is None:\n    self.mean = F.mean(x, axis=0)",
        "if self.mean is None:\n    with autograd.pause():\n        m = x.mean(axis=0)\n        self.mean = m",
        "if not self.ready:\n    self.learn(F, x)",
    ],
    ids=["None before", "in a scope", "a flag and a method"],
)
def test_data_that_each_later_call_reads(body: str) -> None:
    assert keeps(body)


@pytest.mark.parametrize(
    "body",
    [
        "if self.mean is None:\n    self.mean = F.zeros_like(x)",
        "if self.mean is None and autograd.is_training():\n    self.mean = F.mean(x, axis=0)",
        "if self.fc:\n    if self.mean is None:\n        self.mean = F.mean(x, axis=0)",
        "if self.mean is None:\n    self.mean = F.mean(x, axis=0)\nelse:\n    self.mean = self.mean * 2",
    ],
    ids=["its shape alone", "in one mode", "with some settings", "changed later"],
)
def test_what_some_graph_is_right_for(body: str) -> None:
    assert not keeps(body)


def test_what_is_set_already_is_never_learnt() -> None:
    assert not keeps("if self.mean is None:\n    self.mean = F.mean(x, axis=0)", first="0.0")
