"""What released projects write, and no rule reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.engine import analyze_file
from hybridlint.source import SourceFile

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"

CLEAN = {
    "arguments that are there to be ignored": "def hybrid_forward(self, F, x, *args, **kwargs):\n    return F.relu(x)",
    "an empty list beside tensors": "def hybrid_forward(self, F, x):\n    return F.relu(x), []",
}

REPORTED = {
    "an empty list alone": ("def hybrid_forward(self, F, x):\n    x = F.relu(x)\n    return [[]]", "HYB807"),
    "an argument with a name": ("def hybrid_forward(self, F, x, y, *args):\n    return F.relu(x)", "HYB806"),
}


def _codes(body: str) -> list[str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), HEAD + lines))]


@pytest.mark.parametrize("case", CLEAN)
def test_what_works_is_not_reported(case: str) -> None:
    assert _codes(CLEAN[case]) == []


@pytest.mark.parametrize("case", REPORTED)
def test_what_stands_beside_it_is(case: str) -> None:
    body, code = REPORTED[case]
    assert code in _codes(body)
