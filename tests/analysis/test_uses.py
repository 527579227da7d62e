"""What the uses of arguments say of them, and how sure that makes findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\n\n\nclass Net(mx.gluon.HybridBlock):\n    def hybrid_forward(self, F, x, *args):\n"


@pytest.mark.parametrize(
    ("body", "severities"),
    [
        ("hidden, other = args\nreturn x + hidden[0] + self.net(other)", {"warning"}),
        ("hidden, other = args\nreturn F.relu(hidden)[0] + F.relu(hidden) + other", {"error"}),
        ("hidden, other = args\nreturn hidden[0] + F.relu(hidden) * other", {"error"}),
    ],
)
def test_what_args_are_taken_apart_into_may_be_lists(body: str, severities: set[str]) -> None:
    text = HEAD + "".join(f"        {line}\n" for line in body.split("\n"))
    found = [f for f in analyze_file(SourceFile(Path("net.py"), text)) if f.rule.code == "HYB201"]
    assert {finding.severity.value for finding in found} == severities


def test_items_of_an_argument_may_be_lists_that_a_child_takes_apart() -> None:
    text = """
import mxnet as mx


class Cell(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x, cache):
        key, value = cache
        return x + key * value, [key, value]


class Net(mx.gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.cells = mx.gluon.nn.HybridSequential()
        for _ in range(2):
            self.cells.add(Cell())

    def hybrid_forward(self, F, x, caches):
        for cell, cache in zip(self.cells, caches):
            x, cache = cell(x, cache)
        return x
"""
    found = analyze_file(SourceFile(Path("net.py"), text))
    assert {f.severity.value for f in found if f.rule.code == "HYB208"} <= {"possible"}
