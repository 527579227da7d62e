"""``match`` in hybrid_forward, which no interpreter that MXNet 1.9.1 runs on has: nothing can be measured there."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"

CLEAN = {
    "settings": "match self.kind:\n    case 'a':\n        x = x * 2\n    case _:\n        x = F.relu(x)",
    "an argument that is a text": "match y:\n    case 'a':\n        x = x * 2\n    case _:\n        x = F.relu(x)",
    "a tuple taken apart": "match (x, 2):\n    case (first, 2):\n        x = first * 2",
    "arrays only": "match x:\n    case mx.nd.NDArray():\n        x = x / x.shape[0]\n    case _:\n        x = x / 2",
    "a tensor is no sequence": "match x:\n    case [first, *rest]:\n        x = first.shape",
}

FOUND = {
    "a name for the subject": ("match x:\n    case other:\n        x = x / other.shape[0]", "HYB101"),
    "a condition": ("match x:\n    case other if other.sum() > 0:\n        x = x * 2", "HYB401"),
    "a comparison": ("match x.sum():\n    case 0:\n        x = x * 2", "HYB401"),
    "a body": ("match self.kind:\n    case 1 | 2:\n        x = x[0]", "HYB201"),
    "part of a tuple": ("match (2, x):\n    case (_, last):\n        x = x * len(last)", "HYB206"),
}


def _codes(body: str) -> set[str]:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    text = f"{HEAD}    def hybrid_forward(self, F, x, y):\n{lines}        return x * 1\n"
    return {f.rule.code for f in analyze_file(SourceFile(Path("net.py"), text))} - {"HYB806"}


@pytest.mark.parametrize("name", CLEAN)
def test_what_fits_no_tensor_is_left_alone(name: str) -> None:
    assert _codes(CLEAN[name]) == set()


@pytest.mark.parametrize("name", FOUND)
def test_what_tensors_reach_is_found(name: str) -> None:
    body, code = FOUND[name]
    assert _codes(body) == {code}
