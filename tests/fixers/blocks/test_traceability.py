"""Classes whose `forward` runs eagerly, and could or could not be traced."""

from __future__ import annotations

import ast
import textwrap

import pytest

from hybridlint.fixers.blocks.traceability import may_be_traced

HEAD = "import dgl.function as fn\nimport mobula\nfrom mxnet import nd\nfrom mxnet.gluon import HybridBlock\n\n\n"
GRAPH = """
class Layer(HybridBlock):
    def forward(self, g, h):
        g.ndata["h"] = h
        return g.ndata.pop("h")


class Net(HybridBlock):
    def __init__(self, g):
        super().__init__()
        self.layer = Layer()

    def forward(self, h):
        return h * 2
"""


def _asked(text: str) -> bool:
    tree = ast.parse(HEAD + textwrap.dedent(text))
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Net")
    return may_be_traced(tree, owner)


NET = """
class Net(HybridBlock):
    def helper(self, x):
        return {body}

    def forward(self, x):
        return self.helper(x)
"""


@pytest.mark.parametrize(
    "body", ["x * 2", "nd.relu(x)", "self.body(x)", "self.helper(self.scale)", "[x * i for i in range(self.count)]"]
)
def test_operators_children_and_settings_may_be_traced(body: str) -> None:
    assert _asked(NET.format(body=body))


@pytest.mark.parametrize("body", ["mobula.func.match(x)", "fn.sum(msg=x)", "x.ndata['h']", "self.layer(self.graph, x)"])
def test_what_no_graph_holds_may_not(body: str) -> None:
    assert not _asked(NET.format(body=body))


def test_children_of_the_file_must_be_traced_too() -> None:
    assert not _asked(GRAPH)
