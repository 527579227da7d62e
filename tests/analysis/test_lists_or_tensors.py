"""Arguments that hybrid_forward checks for being a list: a tensor, or else a container of tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "from mxnet.gluon import nn\n\n\nclass Net(nn.HybridBlock):\n    def hybrid_forward(self, F, x):\n"


def _codes(body: str) -> set[str]:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    return {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))}


@pytest.mark.parametrize(
    "body",
    [
        "if isinstance(x, (list, tuple)):\n    x = x[0]\nreturn x * x.shape[0]",
        "if isinstance(x, list):\n    x = F.concat(*x)\nreturn x * x.shape[0]",
        "if isinstance(x, (list, tuple)):\n    x, y = x\nreturn x * x.shape[0]",
        "if not isinstance(x, (list, tuple)):\n    x = [x]\nreturn x[0] * x[0].shape[0]",
        "xs = x if isinstance(x, (list, tuple)) else [x]\nreturn xs[0] * xs[0].shape[0]",
        "if isinstance(x, (list, tuple)):\n    a = x[0]\nelse:\n    a = x\nreturn a * a.shape[0]",
        "if isinstance(x, (list, tuple)):\n    return F.add_n(*x)\nreturn x * x.shape[0]",
    ],
)
def test_either_way_it_is_a_tensor_then(body: str) -> None:
    assert _codes(body) == {"HYB101"}


@pytest.mark.parametrize(
    "body",
    [
        "if isinstance(x, (list, tuple)):\n    return F.add_n(*x) * len(x)\nreturn x * 2",
        "if isinstance(x, (list, tuple)):\n    return x[0] * 2\nreturn F.relu(x)",
        "if isinstance(x, (int, float)):\n    x = F.ones((2, 3)) * x\nreturn F.relu(x)",
        "if not isinstance(x, (list, tuple)):\n    x = [x]\nreturn [F.relu(each) for each in x]",
    ],
)
def test_what_suits_both_is_quiet(body: str) -> None:
    assert _codes(body) == set()
