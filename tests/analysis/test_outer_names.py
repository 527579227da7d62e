"""Names that a function imports or defines are known in the classes within; measured on MXNet 1.9.1."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

NET = "class Net({base}):\n    def hybrid_forward(self, F, x):\n        return {result}\n"


def indented(text: str, depth: int = 1) -> str:
    return "".join("    " * depth + line + "\n" for line in text.splitlines())


def net(result: str, base: str = "nn.HybridBlock", depth: int = 1) -> str:
    return indented(NET.format(base=base, result=result), depth)


#: Texts, each with the findings that its only block has.
TEXTS = {
    "array function": (
        f"def make():\n    from mxnet import nd\n    from mxnet.gluon import nn\n{net('nd.relu(x)')}",
        ["HYB502"],
    ),
    "package by another name": (
        f"def make():\n    import mxnet as mxn\n{net('mxn.nd.relu(x)', 'mxn.gluon.HybridBlock')}",
        ["HYB502"],
    ),
    "two functions": (
        "def make():\n    from mxnet import nd\n    def inner():\n        from mxnet.gluon import nn\n"
        + net("nd.relu(x)", depth=2),
        ["HYB502"],
    ),
    "method": (
        "class Builder:\n    def build(self):\n        from mxnet import nd\n        from mxnet.gluon import nn\n"
        + net("nd.relu(x)", depth=2),
        ["HYB502"],
    ),
    "attempt": (
        "def make():\n    try:\n        from mxnet import nd\n    except ImportError:\n        raise\n"
        + "    from mxnet.gluon import nn\n"
        + net("nd.relu(x)"),
        ["HYB502"],
    ),
    "in place of the module's": (
        "import numpy as nd\nfrom mxnet.gluon import nn\n\n\ndef make():\n    from mxnet import nd\n"
        + net("nd.relu(x)"),
        ["HYB502"],
    ),
    "function of the function": (
        f"def make():\n    from mxnet.gluon import nn\n    def first(x):\n        return x[:, 0]\n{net('first(x)')}",
        ["HYB202"],
    ),
    "base of the function": (
        "def make():\n    from mxnet import gluon\n    class Base(gluon.HybridBlock):\n        def first(self, x):\n"
        f"            return x[:, 0]\n{net('self.first(x)', 'Base')}",
        ["HYB202"],
    ),
    "parameter in place of the module's": (
        f"from mxnet import nd\nfrom mxnet.gluon import nn\n\n\ndef make(nd):\n{net('nd.relu(x)')}",
        [],
    ),
    "another function": (
        "import numpy as nd\nfrom mxnet.gluon import nn\n\n\ndef other():\n    from mxnet import nd\n\n\n"
        + NET.format(base="nn.HybridBlock", result="x * nd.sqrt(2)"),
        [],
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_names_of_functions_around_a_class(case: str) -> None:
    text, codes = TEXTS[case]
    assert [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))] == codes
