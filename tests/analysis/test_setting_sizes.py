"""Arrays that one function creates from equal expressions of settings have one shape."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Binary
from hybridlint.analysis.model.values import CapturedArray, Tensor
from hybridlint.text.source import SourceFile

HEAD = """\
from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, n, d):
        super().__init__()
        self.n, self.d = n, d

    def hybrid_forward(self, F, x, k=1):
"""

EQUAL = [
    "return F.zeros((self.n, self.d)) + F.ones(shape=(self.n, self.d))",
    "return F.random.normal(shape=(self.n, 2 * self.d)) * F.random.uniform(0, 1, (self.n, 2 * self.d))",
    "n, d = self.n, self.d\nreturn F.zeros((n, d)) + F.full((n, d), 2)",
    "shape = (self.n, k)\nreturn nd.zeros(shape) - F.random.normal(shape=[self.n, k])",
    "return F.eye(self.d) + F.eye(self.d, self.d, 1)",
]
UNLIKE = [
    "return F.zeros((self.n, self.d)) + F.ones((self.d, self.n))",
    "return F.eye(self.d) + F.eye(self.d, self.n)",
    "a = F.zeros((k, 2))\nk = k + 1\nreturn a + F.zeros((k, 2))",
    "a = F.zeros((self.n, 2))\nself.n = self.d\nreturn a + F.zeros((self.n, 2))",
    "a = F.zeros((2, 2))\nfor i in self.sizes:\n    a = F.ones((i, 2)) + a\nreturn a",
    "return F.zeros((self.size(), 2)) + F.zeros((self.size(), 2))",
    "if self.n:\n    k = self.d\na = F.zeros((self.n, k))\nreturn a + F.zeros((self.n, self.d))",
]


def sums(body: str) -> list[Binary]:
    """Return the operators on arrays in a body of `hybrid_forward`."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    events = module_events(SourceFile(Path("net.py"), HEAD + lines))
    found = [event for event in events if isinstance(event, Binary) and isinstance(event.node, ast.BinOp)]
    return [e for e in found if all(isinstance(v, Tensor | CapturedArray) for v in (e.left, e.right))]


def shapes_agree(event: Binary) -> bool:
    assert isinstance(event.left, Tensor | CapturedArray)
    assert isinstance(event.right, Tensor | CapturedArray)
    assert event.left.type.shape is not None
    return event.left.type.shape == event.right.type.shape


@pytest.mark.parametrize("body", EQUAL)
def test_equal_expressions_are_one_size(body: str) -> None:
    assert all(map(shapes_agree, sums(body)))
    assert sums(body)


@pytest.mark.parametrize("body", UNLIKE)
def test_values_that_may_differ_are_sizes_of_their_own(body: str) -> None:
    assert not any(map(shapes_agree, sums(body)))
    assert sums(body)
