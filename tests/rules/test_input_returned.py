"""Inputs that a block returns as they are on one path: without an argument, by a setting, through an empty sequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = """
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, rate=0.0, depth=0, norm=True, **kwargs):
        super().__init__(**kwargs)
        self.depth, self.norm = depth, norm
        self.drop = nn.Dropout(rate) if rate else None
        self.dense = nn.Dense(3)
        self.empty = nn.HybridSequential(prefix="")
        self.full = nn.HybridSequential(prefix="")
        self.full.add(nn.Dense(3))

    def helper(self, F, x):
        if self.norm:
            x = F.L2Normalization(x)
        return x

    def hybrid_forward(self, F, x, mask=None):
"""


def module(body: str) -> SourceFile:
    """Return a block with layers and settings whose forward pass has a body."""
    return SourceFile(Path("net.py"), HEAD.lstrip() + "".join(f"        {line}\n" for line in body.split("\n")))


def told(source: SourceFile) -> list[str]:
    """Return the severities of the findings about returned inputs."""
    return [one.severity.value for one in analyze_file(source) if one.rule.code == "HYB901"]


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("return x if mask is None else x * mask", "return F.identity(x) if mask is None else x * mask"),
        ("y = x if mask is None else x * mask\nreturn y", "return F.identity(y)"),
        ("if self.drop is not None:\n    x = self.drop(x)\nreturn x", "return F.identity(x)"),
        ("for _ in range(self.depth):\n    x = F.relu(x)\nreturn x", "return F.identity(x)"),
        ("return self.empty(x)", "return F.identity(self.empty(x))"),
        ("if mask is None:\n    return x\nreturn x * mask", "return F.identity(x)"),
        ("if mask is not None:\n    x = x * mask\nreturn x", "return F.identity(x)"),
        ("y = self.empty(x)\nreturn y", "return F.identity(y)"),
    ],
)
def test_an_input_that_comes_out_on_one_path(body: str, fixed: str) -> None:
    assert told(module(body)) == ["warning"]
    after = fix_source(module(body), analyze_file, unsafe=True).source
    assert fixed in after.text
    assert told(after) == []


@pytest.mark.parametrize(
    "body",
    [
        "y = F.relu(x)\nreturn y if mask is None else y * mask",
        "return self.full(x)",
        "return x * 2 if x is not None and self.depth.bit_length() > 3 else x",
        "if self.depth == 0:\n    x = x * 2\nelif self.depth == 1:\n    x = x * 3\nreturn x",
        "return self.dense(self.empty(x))",
        "for _ in range(self.depth + 1):\n    x = F.relu(x)\nreturn x",
        "for _ in range(3):\n    x = F.relu(x)\nreturn x",
        "if not self.norm:\n    return x\nreturn F.relu(x)",
        "return self.helper(F, x)",
        "if self.norm:\n    x = F.tanh(x)\nreturn x",
        "return F.tanh(x) if self.norm else x",
    ],
)
def test_what_is_always_changed_is_not_reported(body: str) -> None:
    assert told(module(body)) == []


def test_a_sequence_that_is_filled_elsewhere_is_not_empty() -> None:
    source = module("return self.empty(x)")
    assert told(SourceFile(source.path, f"{source.text}\n\nnet = Net()\nnet.empty.add(nn.Dense(3))\n")) == []
