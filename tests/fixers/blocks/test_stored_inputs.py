"""What `forward` stores of its inputs for the graph, and what the graph computes of its own inputs instead."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import lines

HEAD = "from mxnet.gluon import HybridBlock, nn\n\n\n"

CASES = {
    "a size that only the graph reads": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.length = None
                self.dense = nn.Dense(3)

            def forward(self, x, *args):
                self.length = x.shape[1]
                return super().forward(x, *args)

            def hybrid_forward(self, F, data):
                return self.dense(F.sum(data, axis=1) / self.length)
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(3)

            def hybrid_forward(self, F, data):
                return self.dense(F.mean(data, axis=1))
        """,
    ),
    "sizes that a helper reads": (
        """
        class Net(HybridBlock):
            def forward(self, x):
                self._hw = x.shape[2:]
                return super(Net, self).forward(x)

            def resized(self, F, x):
                h, w = self._hw
                return F.contrib.BilinearResize2D(x, height=h, width=w)

            def hybrid_forward(self, F, x):
                small = F.Pooling(x, kernel=(2, 2), stride=(2, 2))
                return self.resized(F, small)
        """,
        """
        class Net(HybridBlock):
            def resized(self, F, x, input_x):
                return F.contrib.BilinearResize2D(x, F.BlockGrad(input_x), mode="like")

            def hybrid_forward(self, F, x):
                small = F.Pooling(x, kernel=(2, 2), stride=(2, 2))
                return self.resized(F, small, x)
        """,
    ),
    "sizes of an input that the graph binds anew": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(8, flatten=False)

            def forward(self, x):
                self.batch, self.length = x.shape[:2]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                x = self.dense(x)
                return F.reshape(x, shape=(self.batch, self.length, 2, 4))
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(8, flatten=False)

            def hybrid_forward(self, F, x):
                x = self.dense(x)
                return F.reshape(x, shape=(0, -1, 2, 4))
        """,
    ),
    "a size that other code reads too": (
        """
        class Net(HybridBlock):
            def forward(self, x):
                self.length = x.shape[1]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.sum(x, axis=1) / self.length


        def report(net):
            print(net.length)
        """,
        """
        class Net(HybridBlock):
            def forward(self, x):
                self.length = x.shape[1]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.mean(x, axis=1)


        def report(net):
            print(net.length)
        """,
    ),
}


def repaired(text: str, *, unsafe: bool) -> FixOutcome:
    source = SourceFile(Path("net.py"), f"{HEAD}{lines(text)}\n")
    return fix_source(source, analyze_file, unsafe=unsafe)


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_the_graph_computes_it(before: str, after: str) -> None:
    assert repaired(before, unsafe=True).source.text == f"{HEAD}{lines(after)}\n"


def test_a_size_of_the_graphs_own_input_is_safe() -> None:
    before, after = CASES["a size that only the graph reads"]
    assert repaired(before, unsafe=False).source.text == f"{HEAD}{lines(after)}\n"


KEPT = {
    "a store under a condition": "if x.ndim > 1:\n    self.length = x.shape[1]\nreturn super().forward(x)",
    "two stores": "self.length = x.shape[0]\nself.length = x.shape[1]\nreturn super().forward(x)",
    "an argument that is bound anew": "x = x.T\nself.length = x.shape[1]\nreturn super().forward(x)",
    "another input for the graph": "self.length = x.shape[1]\nreturn super().forward(x.T)",
    "a number of the block": "self.length = x.shape[1] - self.start\nreturn super().forward(x)",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_what_more_than_the_input_decides_stays(body: str) -> None:
    method = textwrap.indent(f"def forward(self, x):\n{textwrap.indent(body, ' ' * 4)}\n", " " * 4)
    text = f"""class Net(HybridBlock):
{method}
    def hybrid_forward(self, F, x):
        return F.sum(x, axis=1) / self.length
"""
    source = SourceFile(Path("net.py"), f"{HEAD}{text}")
    done = fix_source(source, analyze_file, unsafe=True)
    assert done.source.text == source.text
    assert {finding.rule.code for finding in done.findings} == {"HYB604"}
