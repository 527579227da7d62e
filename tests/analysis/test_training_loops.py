"""Settings that training loops move on: which loops count, and which compile the block anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """from mxnet import nd
from mxnet.gluon import Block, HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.rate = 0.1

    def hybrid_forward(self, F, x):
        return F.Dropout(x, p=self.rate)


class Model(HybridBlock):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def hybrid_forward(self, F, x):
        return self.net(x)


"""

MOVED = {
    "of a function that makes the block": (
        "def train(batches):\n    net = Net()\n    net.hybridize()\n    for epoch in range(9):\n"
        "        net.rate = epoch / 9\n        for x in batches:\n            net(x)"
    ),
    "of a function that is given it": (
        "def train(net, batches):\n    for step, x in enumerate(batches):\n"
        "        net.rate = 1 / (1 + step)\n        net(x)"
    ),
    "of the script": (
        "net = Net()\nnet.hybridize()\nfor epoch in range(9):\n    net.rate *= 0.5\n    net(nd.ones((2, 3)))"
    ),
    "on a part of what is called": (
        "def train(model, batches, steps):\n    for step, x in enumerate(batches):\n"
        "        model.net.rate = step / steps\n        model(x)"
    ),
    "of an object that holds the block": (
        "class Fit:\n    def __init__(self, net):\n        self.net = net\n\n    def run(self, batches):\n"
        "        for step, x in enumerate(batches):\n"
        "            self.net.rate = 1 / (1 + step)\n            self.net(x)"
    ),
    "that waits for an end": (
        "def train(net, x):\n    while net.rate > 0.1:\n        net.rate = net.rate * 0.5\n        net(x)"
    ),
}
KEPT = {
    "compiles anew": (
        "def train(net, batches):\n    for step, x in enumerate(batches):\n        net.rate = 1 / (1 + step)\n"
        "        net.hybridize()\n        net(x)"
    ),
    "sets the same": "def train(net, batches):\n    for x in batches:\n        net.rate = 0.5\n        net(x)",
    "has a block for each value": (
        "def compare(x):\n    for rate in (0.1, 0.5):\n        net = Net()\n        net.rate = rate\n        net(x)"
    ),
    "goes over blocks": (
        "def compare(nets, rates, x):\n    for net, rate in zip(nets, rates):\n        net.rate = rate\n        net(x)"
    ),
    "calls something else": (
        "def train(trainer, batches):\n    model = Model()\n    for step, x in enumerate(batches):\n"
        "        trainer.rate = 1 / (1 + step)\n        model(x)"
    ),
    "sets it on another class": (
        "def train(batches):\n    model = Model()\n    for step, x in enumerate(batches):\n"
        "        model.rate = 1 / (1 + step)\n        model(x)"
    ),
}


def told(code: str) -> set[str]:
    """Return the codes of the findings in a file with two blocks and some code."""
    return {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), HEAD + code + "\n"))}


@pytest.mark.parametrize("code", MOVED.values(), ids=MOVED.keys())
def test_a_loop_moves_a_setting_on(code: str) -> None:
    assert told(code) == {"HYB611"}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT.keys())
def test_a_loop_is_fine_that(code: str) -> None:
    assert told(code) == set()
