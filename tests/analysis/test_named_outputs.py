"""Names of namedtuples that blocks return, read by functions around the blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

FILE = """
from typing import NamedTuple

from mxnet import autograd
from mxnet.gluon import Block, HybridBlock, nn


class Normal(NamedTuple):
    mean: object
    scale: object


class Head(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.mean, self.scale = nn.Dense(1), nn.Dense(1)

    def hybrid_forward(self, F, x):
        return Normal(self.mean(x), F.exp(self.scale(x)))


"""
PLAIN = """
class Fixed(Block):
    def forward(self, x):
        return Normal(x, x)


"""
READ = {
    "a training step": "def step(net, x, y):\n    out = net(x)\n    return (out.mean - y) / out.scale\n",
    "a result that has no name": "def guess(net, x):\n    return net(x).mean\n",
    "a loss that a step calls": (
        "def loss(out, y):\n    return (out.mean - y) / out.scale\n\n\n"
        "def step(net, x, y):\n    return loss(net(x), y)\n"
    ),
    "a loss that a step calls with a name": (
        "def loss(out, y):\n    return (out.mean - y) / out.scale\n\n\n"
        "def step(net, x, y):\n    out = net(x)\n    return loss(out, y)\n"
    ),
    "a parameter with an annotation": "def loss(out: Normal, y):\n    return (out.mean - y) / out.scale\n",
    "a method of a trainer": (
        "class Trainer:\n    def __init__(self, net):\n        self.net = net\n\n"
        "    def step(self, x):\n        out = self.net(x)\n        return out._replace(mean=out.mean * 2)\n"
    ),
}
ALIKE = {
    "unpacked": "def step(net, x, y):\n    mean, scale = net(x)\n    return (mean - y) / scale\n",
    "made again": "def step(net, x, y):\n    out = Normal(*net(x))\n    return (out.mean - y) / out.scale\n",
    "by number": "def step(net, x, y):\n    out = net(x)\n    return (out[0] - y) / out[1]\n",
    "a method of arrays": "def step(net, x):\n    out = net(x)\n    return out.mean()\n",
    "other names too": "def step(net, x):\n    out = net(x)\n    return out.mean + out.variance\n",
    "what a function of the file returns": (
        "def made(x):\n    return Normal(x, x)\n\n\ndef step(x):\n    out = made(x)\n    return out.mean\n"
    ),
    "what a plain block returns": PLAIN + "def step(net, x):\n    out = net(x)\n    return out.mean\n",
    "a part of another graph": (
        "class Net(HybridBlock):\n    def __init__(self, **kwargs):\n        super().__init__(**kwargs)\n"
        "        self.head = Head()\n\n    def hybrid_forward(self, F, x):\n        out = self.head(x)\n"
        "        return out.mean / out.scale\n\n\ndef step(net, x):\n    out = net(x)\n    return out.mean\n"
    ),
}


def _codes(body: str) -> list[str]:
    return [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), FILE + body))]


@pytest.mark.parametrize("case", READ)
def test_a_name_that_a_list_lacks(case: str) -> None:
    assert _codes(READ[case]) == ["HYB817"]


@pytest.mark.parametrize("case", ALIKE)
def test_what_lists_can_do_as_well(case: str) -> None:
    assert not _codes(ALIKE[case])
