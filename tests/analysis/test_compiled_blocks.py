"""Structures of the inputs of blocks that a file builds, compiles and calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """
from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, y=None, z=None):
        x = F.relu(x)
        return x if y is None else x + y


class Sum(HybridBlock):
    def hybrid_forward(self, F, x, others):
        for other in others:
            x = x + other
        return x


x = nd.ones((2, 3))
"""


def reported(code: str, *, inside: bool) -> list[str]:
    """Return the calls that are reported in code of a function, or of the module."""
    lines = code.split("\n")
    text = HEAD + ("\n\ndef use():\n" + "".join(f"    {line}\n" for line in lines) if inside else f"{code}\n")
    found = [one for one in analyze_file(SourceFile(Path("net.py"), text)) if one.rule.code == "HYB816"]
    return [one.message.split("`")[1] for one in found]


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("net = Net()\nnet.hybridize()\nnet(x, x)\nnet(x)", "net(x)"),
        ("net = Net()\nnet.hybridize()\nnet(x, None)\nnet(x, x)", "net(x, x)"),
        ("net = Net()\nnet.hybridize()\nnet(x, None, x)\nnet(x, x, x)", "net(x, x, x)"),
        ("net = Net()\nnet.hybridize(static_alloc=True)\nfor _ in range(3):\n    net(x, x)\nnet(x)", "net(x)"),
        ("net = Sum()\nnet.hybridize()\nnet(x, [x, x])\nnet(x, [x])", "net(x, [x])"),
        ("net, other = Net(), Net()\nnet.hybridize()\nother(x)\nnet(x)\nnet(x, x)", "net(x, x)"),
    ],
)
def test_calls_of_another_structure_are_errors(code: str, call: str, inside: bool) -> None:
    assert reported(code, inside=inside) == [call]


@pytest.mark.parametrize(
    "code",
    [
        "net, other = Net(), Net()\nnet.hybridize()\nother.hybridize()\nnet(x, x)\nother(x)\nnet(x, x)",
        "net = Net()\nnet.hybridize()\nnet(x)\nnet(x, None)\nnet(x, None, None)",
        "net = Net()\nnet.hybridize()\nnet(x)\nnet.hybridize()\nnet(x, x)",
        "net = Net()\nnet(x)\nnet.hybridize()\nnet(x, x)",
        "net = Net()\nnet.hybridize()\nnet(x)\nnet.hybridize(False)\nnet(x, x)",
        "net = Net()\nnet.hybridize()\nif x.shape[0] > 1:\n    net(x)\nelse:\n    net(x, x)",
        "net = Net()\nnet.hybridize()\nnet(x)\ntry:\n    net(x, x)\nexcept ValueError:\n    pass",
        "net = Net()\nnet.hybridize()\nnet(x)\nwith pytest.raises(ValueError):\n    net(x, x)",
        "net = Sum()\nnet.hybridize()\nnet(x, (x, x))\nnet(x, [x, x])",
        "net = Net()\nnet(x)\nnet(x, x)",
    ],
)
def test_calls_that_run_are_not_reported(code: str) -> None:
    assert reported(code, inside=True) == []
