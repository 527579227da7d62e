"""Arrays that a block keeps or makes, and parameters of its children: constants and arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import lines

HEAD = "import mxnet as mx\nfrom mxnet import nd\nfrom mxnet.gluon import Block, HybridBlock, nn\n\n\n"

CASES = {
    "an array of its own": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.table = nd.array([[1, 2], [3, 4]])  # weights

            def hybrid_forward(
                self,
                F,
                x,  # data
            ):
                return (x + self.table) * 2  # all
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.table = self.params.get_constant("table", nd.array([[1, 2], [3, 4]]))  # weights

            def hybrid_forward(
                self,
                F,
                x,  # data
                table,
            ):
                return F.broadcast_add(x, table) * 2  # all
        """,
    ),
    "an array that is computed, and read in another shape behind a name": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.mean = 255 * nd.array([0.4, 0.5])

            def hybrid_forward(self, F, x):
                shift = self.mean.expand_dims(0)
                return F.broadcast_add(x, -shift)
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.mean = self.params.get_constant("mean", 255 * nd.array([0.4, 0.5]))

            def hybrid_forward(self, F, x, mean):
                shift = mean.expand_dims(0)
                return F.broadcast_add(x, -shift)
        """,
    ),
    "an array beside children that are gone through, which somebody initializes": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.layers = nn.HybridSequential()
                self.shift = nd.array([[1, 2]])

            def hybrid_forward(self, F, x):
                for layer in self.layers:
                    x = layer(x)
                return F.broadcast_add(x, self.shift)
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.layers = nn.HybridSequential()
                self.shift = self.params.get_constant("shift", nd.array([[1, 2]]))

            def hybrid_forward(self, F, x, shift):
                for layer in self.layers:
                    x = layer(x)
                return F.broadcast_add(x, shift)
        """,
    ),
    "an array that is called like an operator": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.mean = nd.array([[1, 2]])

            def hybrid_forward(self, F, x):
                return F.mean(F.broadcast_sub(x, self.mean), axis=1) + x.mean(axis=1)
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.mean = self.params.get_constant("mean", nd.array([[1, 2]]))

            def hybrid_forward(self, F, x, mean):
                return F.mean(F.broadcast_sub(x, mean), axis=1) + x.mean(axis=1)
        """,
    ),
    "a parameter of a child": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.dense = nn.Dense(3)  # last

            def hybrid_forward(self, F, x):
                return self.dense(x) * self.dense.bias.data()
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.dense = nn.Dense(3)  # last

            def hybrid_forward(self, F, x):
                return F.broadcast_mul(self.dense(x), self.dense.bias.data() if F is mx.nd else self.dense.bias.var())
        """,
    ),
    "a parameter of a child that a helper reads": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.dense = nn.Dense(3)

            def scores(self, F, x):
                weight = self.dense.weight.data()  # tied
                return F.dot(x, weight)

            def hybrid_forward(self, F, x):
                return self.scores(F, self.dense(x))
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.dense = nn.Dense(3)

            def scores(self, F, x):
                weight = self.dense.weight.data() if F is mx.nd else self.dense.weight.var()  # tied
                return F.dot(x, weight)

            def hybrid_forward(self, F, x):
                return self.scores(F, self.dense(x))
        """,
    ),
}


def repaired(text: str) -> str:
    source = SourceFile(Path("net.py"), f"{HEAD}{lines(text)}\n")
    return fix_source(source, analyze_file, unsafe=True).source.text


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_kept(before: str, after: str) -> None:
    assert repaired(before).partition("\n\n\n")[2] == f"{lines(after)}\n"


def test_what_others_read_stays() -> None:
    text = f"{lines(CASES['an array of its own'][0])}\n\n\nprint(Net().table)\n"
    assert repaired(text) == f"{HEAD}{text}"
